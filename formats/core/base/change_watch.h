// Distinguishes a write to a file from a change of its metadata: mode, owner, links, name, extended
// attributes or access time. Both update the time of the last change, and a writer can set the time of
// modification back.
//
// Linux reports the writes to a file while it is watched (inotify). A write through a mapping is only
// reported as the closing of a writer, as is `touch -a`, which writes nothing. The times of the file
// distinguish them, but only until its metadata change again. Therefore a thread of the process reads the
// reports at once. If it is too late, the file counts as written to.
//
// For files without a watch, the metadata explain the change if the mode, owner or number of links differs.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
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

  // Calls stat(2) for the present path of the file that was opened from `path`. Returns false if that fails.
  using Look = std::function<bool(const std::string& path, struct stat& status)>;

  // look: is called from another thread, until this object is destroyed.
  explicit ChangeWatch(Look look) : look_(std::move(look)) {}
  ~ChangeWatch() { clear(); }
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;

  // Watches the file at `path`, open as `descriptor`, from now on. Check its status afterwards, so that no
  // write is missed in between.
  void watch(int descriptor, const std::string& path) noexcept;

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
  friend class ReportReader;
  using FileKey = std::pair<dev_t, ino_t>;
  // kClosed: a descriptor for writing was closed, without a reported write. Only while reports are read.
  enum class State : uint8_t { kUnwritten, kClosed, kWritten, kUnknown };
  struct Watched {
    State state = State::kUnknown;
    // At the beginning of the watch.
    std::string path;
    off_t size = 0;
    timespec modified{};
    timespec changed{};  // or when it was last found with a new access time only
  };

  void watch_new(int descriptor, const std::string& path) REQUIRES(mutex_);
  void read_events() REQUIRES(mutex_);
  void read_arrived_events() REQUIRES(mutex_);
  void see_event(uint32_t events, const FileKey& key) REQUIRES(mutex_);
  bool finds_new_access(const FileKey& key, Watched& file) const;
  // Reads the reports that have arrived, unless the mutex is held.
  void try_read_events() noexcept;

  const Look look_;
  Mutex mutex_;
  Descriptor events_ GUARDED_BY(mutex_);     // opened with the first file
  bool is_full_ GUARDED_BY(mutex_) = false;  // also if the system refuses more
  bool has_lost_events_ GUARDED_BY(mutex_) = false;
  std::map<FileKey, Watched> files_ GUARDED_BY(mutex_);  // all files that were ever watched
  std::map<int, FileKey> watches_ GUARDED_BY(mutex_);    // by the number in the events
  std::set<FileKey> closed_ GUARDED_BY(mutex_);          // files that may be kClosed
};

}  // namespace plainfs
