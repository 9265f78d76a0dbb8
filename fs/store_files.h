// The files of a store and of the stores beside it, which its links lead to: each opened from where it may be
// opened (formats/base/containment.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "formats/base/file_pool.h"

namespace plainfs {

// Thread-safe.
class StoreFiles {
 public:
  // follow_outside: there are no bounds.
  StoreFiles(const std::string& store, bool follow_outside, std::atomic<uint64_t>& bytes_read)
      : own_(kMostOpen, &bytes_read), neighbours_(kMostNeighbours, &bytes_read) {
    if (follow_outside) return;
    own_.confine(Containment::of_store(store));
    neighbours_.confine(Containment::around_store(store));
  }

  FilePool& own() { return own_; }
  // Those of another store, which may be inside the first one (a mirrored folder) or beside it.
  FilePool& of(const std::string& store) { return own_.bounds().contains(store) ? own_ : neighbours_; }

 private:
  static constexpr size_t kMostOpen = 256;       // where the process may have as many
  static constexpr size_t kMostNeighbours = 16;  // only looked at, to tell what links lead to

  FilePool own_;
  FilePool neighbours_;
};

}  // namespace plainfs
