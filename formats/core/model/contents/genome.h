// The lengths of the chromosomes of a genome, which fragments themselves do not contain (-o genome=).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace plainfs {

struct Genome {
  std::map<std::string, uint32_t, std::less<>> lengths;  // in bases, none 0
  std::string digest;                                    // of the whole content
};
using GenomePtr = std::shared_ptr<const Genome>;

}  // namespace plainfs
