// What passes over the bytes of stores have found out, for who opens the same stores in a later session:
// where things lie, in numbers that are proven when they are used. What a text comes to is kept elsewhere
// (fs/index).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/core/base/sources.h"

namespace plainfs {

class ScratchFolder;  // scratch.h

// Thread-safe. It is a cache: what cannot be read or written is done without.
class Passes {
 public:
  virtual ~Passes() = default;

  // Of the store at location, where all that it was read from is what it was then; null where nothing is
  // known. name: of what, and the version of what is found; it changes when the meaning of the numbers does.
  virtual std::shared_ptr<const std::vector<uint64_t>> known(const std::string& location,
                                                             const std::string& name, Sources& files) = 0;
  // took: how long the pass did, for little is not kept.
  virtual void keep(const std::string& location, const std::string& name, std::vector<uint64_t> numbers,
                    std::chrono::steady_clock::duration took, Sources& files) = 0;
  // What was known is wrong.
  virtual void discard(const std::string& location, Sources& files) = 0;
  // Where what a session needs and memory has no room for may lie meanwhile; null: nowhere.
  virtual std::shared_ptr<ScratchFolder> scratch() const { return nullptr; }
};

}  // namespace plainfs
