// Distinguishes a write to a file from a change of its metadata: mode, owner, links, name, extended
// attributes or access time. Both update the time of the last change, and a writer can set the time of
// modification back.
//
// Linux reports the writes to a file while it is watched (inotify). A write through a mapping is only
// reported as the closing of a writer, as is `touch -a`, which writes nothing. A new access time explains the
// closing, if size and time of modification are those of the beginning, in two cases:
// - It equals the time of the last change. This is so until the metadata change again. Therefore a thread of
//   the process reads the reports at once.
// - No read set it, and a writer that restored the times cannot have set it, because it is later than one
//   noted before. With the mount options relatime and noatime, reads leave an access time alone that is later
//   than the times of the last change and of the modification. So such a time is noted. By the reports since
//   then, the file was opened, got a new access time and was closed, in this order, and nothing was read
//   after a later change of attributes.
// Otherwise the file counts as written to.
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
  static constexpr size_t kMaxFiles = 4096;
  // The largest number of sets of this process that watch files at once, each by an instance of inotify. A
  // user has 128 of them by default, for all programs. Files of later sets are not watched.
  static constexpr int kMaxSets = 32;

  // Calls stat(2) for the present path of the file that was opened from `path`. Returns false if that fails.
  using Look = std::function<bool(const std::string& path, struct stat& status)>;

  // Opens that file for reading. Returns -1 if that fails.
  using Open = std::function<int(const std::string& path)>;

  // look, open: are called from another thread, until this object is destroyed.
  ChangeWatch(Look look, Open open) : look_(std::move(look)), open_(std::move(open)) {}
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
  struct Access {
    // kOpened: by any program. kSet: then read, or given a new access time. kMayBeOpen: as many were closed
    // as were reported to open it, but reports of openings are merged.
    enum class Step : uint8_t { kNone, kOpened, kSet, kMayBeOpen };
    timespec noted{};
    bool is_noted = false;
    // Reported since it was noted, or since the last explained closing.
    bool has_unset_closing = false;  // a writer was closed before kSet
    bool has_new_attributes = false;
    bool was_read = false;            // since the new attributes
    bool is_own_closing_due = false;  // the next closing of a reader is that of this process
    Step step = Step::kNone;
    uint32_t openings = 0;  // without a closing
  };
  struct Watched {
    State state = State::kUnknown;
    // At the beginning of the watch.
    std::string path;
    off_t size = 0;
    timespec modified{};
    timespec changed{};             // or when a closing was last explained
    bool is_changed_again = false;  // since the closing
    bool leaves_access = false;     // whether reads leave a late access time alone
    bool has_no_access = false;     // whether they never set it
    bool may_read = false;          // to note the access time
    uint64_t reports = 0;
    uint8_t waits = 0;  // for another program, before the access time is noted
    Access access{};
  };

  void watch_new(int descriptor, const std::string& path) REQUIRES(mutex_);
  void read_events() REQUIRES(mutex_);
  void read_arrived_events() REQUIRES(mutex_);
  static void see_access(uint32_t events, Access& access);
  void see_event(uint32_t events, const FileKey& key) REQUIRES(mutex_);
  void explain_closings() REQUIRES(mutex_);
  void explain_closing(const FileKey& key, Watched& file) REQUIRES(mutex_);
  bool looks_unmodified(const FileKey& key, const Watched& file, struct stat& now) const;
  bool is_explained(const FileKey& key, const Watched& file, struct stat& now) const;
  void plan_note(const FileKey& key, const Watched& file) REQUIRES(mutex_);
  void note_accesses() REQUIRES(mutex_);
  bool note_access(const FileKey& key, Watched& file) REQUIRES(mutex_);
  void read_byte_of(Watched& file) REQUIRES(mutex_);
  // Reads the reports that have arrived. kBusy: is to be called again.
  enum class Arrived : uint8_t { kReads, kOthers, kBusy };
  Arrived try_read_events() noexcept;

  const Look look_;
  const Open open_;
  Mutex mutex_;
  Descriptor events_ GUARDED_BY(mutex_);     // opened with the first file
  bool is_full_ GUARDED_BY(mutex_) = false;  // also if the system refuses more
  bool has_lost_events_ GUARDED_BY(mutex_) = false;
  std::map<FileKey, Watched> files_ GUARDED_BY(mutex_);  // all files that were ever watched
  std::map<int, FileKey> watches_ GUARDED_BY(mutex_);    // by the number in the events
  std::set<FileKey> closed_ GUARDED_BY(mutex_);          // files that may be kClosed
  std::set<FileKey> to_note_ GUARDED_BY(mutex_);         // files with an access time to note
  uint64_t changes_ GUARDED_BY(mutex_) = 0;              // reports, apart from those of reads
  uint64_t openings_ GUARDED_BY(mutex_) = 0;             // calls of watch()
};

}  // namespace plainfs
