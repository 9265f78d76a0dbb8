// Results of passes over the bytes of stores, kept for later sessions that open the same stores: positions
// and other numbers, which are verified when they are used. The sizes of texts are kept in another place
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

// A persistent cache. Thread-safe. If an entry cannot be read or written, callers do without it.
class Passes {
 public:
  virtual ~Passes() = default;

  // Returns the numbers of the store at `location`, or null if none are known or a source of the store has
  // changed. name: what the numbers describe, with a version that changes when their meaning does.
  virtual std::shared_ptr<const std::vector<uint64_t>> known(const std::string& location,
                                                             const std::string& name, Sources& files) = 0;
  // Stores numbers. took: the duration of the pass; the result of a short pass is not kept.
  virtual void keep(const std::string& location, const std::string& name, std::vector<uint64_t> numbers,
                    std::chrono::steady_clock::duration took, Sources& files) = 0;
  // Discards the entries of `location`, because they are wrong.
  virtual void discard(const std::string& location, Sources& files) = 0;
  // Returns a folder for data of this session that do not fit in memory, or null.
  virtual std::shared_ptr<ScratchFolder> scratch() const { return nullptr; }
};

}  // namespace plainfs
