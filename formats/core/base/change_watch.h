// Distinguishes a write to a file from a change of its metadata: mode, owner, links, name, extended
// attributes or access time. Both update the time of the last change, and a writer can set the time of
// modification back.
//
// Linux reports the writes to a file while it is watched (inotify). For files without a watch, the metadata
// explain the change if the mode, owner or number of links differs.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "cache/mutex.h"
#include "formats/core/base/descriptor.h"

namespace plainfs {

// Returns a summary of the metadata: the low 12 bits depend on the mode, owner, group and number of links,
// the others on the time of the last change.
uint64_t metadata_mark(const struct stat& status);
// Returns whether the mode, owner, group or number of links differs, which explains a different time of the
// last change.
inline bool explains_change(uint64_t before, uint64_t now) {
  constexpr uint64_t kExplaining = (1u << 12) - 1;
  return ((before ^ now) & kExplaining) != 0;
}

// A set of watched files. Thread-safe. Its functions throw nothing.
class ChangeWatch {
 public:
  // The largest number of files to watch. Later files are not watched.
  static constexpr size_t kMostFiles = 4096;

  // Watches the open file `descriptor` from now on. Check its status afterwards, so that no write is missed
  // in between.
  void watch(int descriptor) noexcept;

  // Forgets all files.
  void clear() noexcept;

  // Whether a file was written to. kNone: not since it was first watched.
  enum class Writes { kNone, kSome, kUnknown };
  Writes writes_to(const struct stat& status) noexcept;

  // Returns whether only the metadata changed of the file with `status`, if its metadata mark was `before` at
  // the same size and time of modification.
  bool is_unwritten(const struct stat& status, uint64_t before) noexcept {
    const Writes writes = writes_to(status);
    return writes == Writes::kNone ||
           (writes == Writes::kUnknown && explains_change(before, metadata_mark(status)));
  }

 private:
  using FileKey = std::pair<dev_t, ino_t>;
  // kClosed: a descriptor for writing was closed once, without a reported write.
  enum class State : uint8_t { kUnwritten, kClosed, kWritten, kUnknown };

  void watch_new(int descriptor) REQUIRES(mutex_);
  void read_events() REQUIRES(mutex_);

  Mutex mutex_;
  Descriptor events_ GUARDED_BY(mutex_);     // opened with the first file
  bool is_full_ GUARDED_BY(mutex_) = false;  // also if the system refuses more
  bool has_lost_events_ GUARDED_BY(mutex_) = false;
  std::map<FileKey, State> files_ GUARDED_BY(mutex_);  // all files that were ever watched
  std::map<int, FileKey> watches_ GUARDED_BY(mutex_);  // by the number in the events
};

}  // namespace plainfs
