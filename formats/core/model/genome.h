// How long the chromosomes of a genome are, of which fragments say nothing themselves (-o genome=).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace plainfs {

struct Genome {
  std::map<std::string, uint32_t, std::less<>> lengths;  // in bases, none 0
  std::string digest;                                    // of all that is in it
};
using GenomePtr = std::shared_ptr<const Genome>;

}  // namespace plainfs
