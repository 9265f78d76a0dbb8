// The mounted store as a file system: what FUSE, the commands without a mount, and the tests call. Knows
// nothing of FUSE and throws Error.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fs/tree/tree.h"

namespace plainfs {

// How a store is shown.
struct Appearance {
  uid_t owner = 0;
  gid_t group = 0;
  mode_t umask = 0;                // taken away from 0644 and 0755
  bool is_for_others = false;      // then nothing is shown more open than what it is read from
  std::vector<const View*> views;  // empty: all but `bin`
  std::string subdir;              // show this directory only, "assays/RNA"
};

// Counted with relaxed atomics: sums for .plainfs/stats.json.
struct Requests {
  std::atomic<uint64_t> reads{0};
  std::atomic<uint64_t> bytes_read{0};
  std::atomic<uint64_t> errors{0};
};

// A file as one process has it open.
struct OpenFile {
  std::shared_ptr<ViewFile> view;
  Inode inode = 0;
  uint64_t generation = 0;  // of the store when it was opened
  bool changes = false;     // its size is not that of the next one who opens it
};

struct Status {
  struct stat stat {};
  bool is_whole = true;  // false: the size is not known yet
};

// Thread-safe. Inodes are those of Tree. What takes long ends with Cancelled where the calling thread's
// Request is cancelled.
class Filesystem {
 public:
  // Throws not_found where there is no such subdir.
  Filesystem(StorePtr store, Appearance appearance, Context& context);

  Tree& tree() { return tree_; }
  StorePtr store() const;
  Requests& requests() { return requests_; }

  Inode lookup(Inode directory, std::string_view name);
  // What stat shows; the first one of a text file computes its size.
  struct stat status(Inode inode);
  // The same without a pass over the content: where the size is not known yet, or cannot be, it is 0.
  Status status_so_far(Inode inode);
  // Throws changed as open does.
  ListingPtr list(Inode directory);
  std::string read_link(Inode link);
  // Throws changed where the store is no longer what it was, so that nobody is shown what the kernel still
  // keeps of it.
  OpenFile open(Inode file);
  // Fewer bytes than size only at the end.
  Slices read(const OpenFile& file, uint64_t offset, size_t size);

  // "user.NAME" of each attribute that Linux can hold as an extended one.
  std::vector<std::string> attribute_names(Inode inode);
  // The text itself for a text, else compact JSON; nullopt where there is no such attribute.
  std::optional<std::string> attribute(Inode inode, std::string_view name);

  // The inode at a path from the root ("/", "a/b.csv"); links on the way and at the end are not followed.
  // Throws not_found.
  Inode find(std::string_view path);
  // The same with links followed as the kernel does; one that leads out of what is shown is not_found too.
  Inode resolve(std::string_view path);

  // Opens the store again and shows what it holds now; files opened before that fail from then on.
  void reopen();
  // Counts the error and logs it with the path in the store; returns the errno to report.
  int report(Inode inode, const Error& error);
  // Where report and warnings write.
  void set_error_log(std::function<void(const std::string& line)> log) { log_error_ = std::move(log); }

 private:
  // What a store was on disk when something of it was first opened.
  struct Stamp {
    dev_t device;
    ino_t inode;
    off_t size;  // of a store that is a file; else 0, as the time
    timespec modified;
  };
  Status status(Inode inode, bool with_size);
  std::optional<uint64_t> size_so_far(Inode file);
  mode_t mode(Inode inode, mode_t most);
  // Against the first call for that store.
  void check_unchanged(const std::string& store_path);

  const Appearance appearance_;
  Context& context_;
  std::function<void(const std::string& line)> log_error_;
  mutable std::shared_mutex
      store_mutex_;  // guards store_ and generation_: every call holds it shared, reopen alone
  StorePtr store_;   // as it was opened, whatever part of it is shown
  uint64_t generation_ = 0;
  bool is_lost_ = false;  // it could not be reopened; guarded too
  Tree tree_;
  std::mutex stamps_mutex_;  // guards stamps_
  std::unordered_map<std::string, Stamp> stamps_;
  Requests requests_;
};

// The views that "csv,npy,…" names. Throws Error(unsupported) for a name that is none.
std::vector<const View*> views_named(std::string_view list);
// Those of a mount without the option.
std::vector<const View*> default_views();

}  // namespace plainfs
