// Tells a write to a file from a change of its metadata: its mode, owner, links, name, extended attributes or
// access time. Both move the time of the last change, and a writer may set the time of modification back.
//
// Linux reports the writes to a file while it is watched (inotify). What no watch knows is explained by the
// metadata themselves: a mode, owner or number of links that is another one now.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "cache/mutex.h"
#include "formats/core/base/descriptor.h"

namespace plainfs {

// What a change of metadata changes: the low 12 bits are of the mode, the owner, the group and the number of
// links, the others of the time of the last change.
uint64_t metadata_mark(const struct stat& status);
// Whether the mode, owner, group or number of links differ, which explains another time of the last change.
inline bool explains_change(uint64_t before, uint64_t now) {
  constexpr uint64_t kExplaining = (1u << 12) - 1;
  return ((before ^ now) & kExplaining) != 0;
}

// Thread-safe. Throws nothing.
class ChangeWatch {
 public:
  // The number of files that are watched at most; those that come later are not.
  static constexpr size_t kMostFiles = 4096;

  // Watches the file behind descriptor from now on. The caller looks at its status afterwards, so that no
  // write lies between the two.
  void watch(int descriptor) noexcept;

  // Forgets all files.
  void clear() noexcept;

  // kNone: nothing was written to the file since it was first watched.
  enum class Writes { kNone, kSome, kUnknown };
  Writes writes_to(const struct stat& status) noexcept;

  // Whether nothing but the metadata changed of a file that has status now, and had the metadata mark before
  // at the same size and time of modification.
  bool is_unwritten(const struct stat& status, uint64_t before) noexcept {
    const Writes writes = writes_to(status);
    return writes == Writes::kNone ||
           (writes == Writes::kUnknown && explains_change(before, metadata_mark(status)));
  }

 private:
  using FileKey = std::pair<dev_t, ino_t>;
  enum class State : uint8_t { kUnwritten, kWritten, kUnknown };

  void watch_new(int descriptor) REQUIRES(mutex_);
  void read_events() REQUIRES(mutex_);

  Mutex mutex_;
  Descriptor events_ GUARDED_BY(mutex_);     // opened with the first file
  bool is_full_ GUARDED_BY(mutex_) = false;  // or the system refuses more
  bool has_lost_events_ GUARDED_BY(mutex_) = false;
  std::map<FileKey, State> files_ GUARDED_BY(mutex_);  // all that were ever watched
  std::map<int, FileKey> watches_ GUARDED_BY(mutex_);  // by the number that events have
};

}  // namespace plainfs
