// The FUSE side of a mount: a session whose callbacks hand every request to a Filesystem and its answer, or
// its Error, back.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/mutex.h"
#include "fs/filesystem.h"
#include "fs/mounts/unmount.h"
#include "fs/sizings.h"
#include "fs/tree/inodes.h"

struct fuse_session;

namespace plainfs {

// Why files cannot be read, for who meets EIO and asks: `getfattr -n user.plainfs.error FILE`. Thread-safe.
class Faults {
 public:
  static constexpr std::string_view kAttribute = "user.plainfs.error";

  // What the last failure of a request for inode was.
  void remember(Inode inode, const Error& error);
  // Nothing of it holds for a store that was opened anew.
  void forget();
  // What opening or listing inode says is wrong now, else the last failure; nullopt: neither. Takes no pass
  // over the content of a file.
  std::optional<std::string> reason(Filesystem& filesystem, Inode inode) const;

 private:
  mutable Mutex mutex_;
  std::unordered_map<Inode, std::string> reasons_ GUARDED_BY(mutex_);
};

// What the kernel calls a file. A node belongs to one opening of the store: after a reopening the kernel
// knows the file by another one, and a request with the old one is told to look its name up again (ESTALE),
// so that sizes and pages of the two never meet. And where the size was not known when the name was looked
// up, the node is of that lookup alone: an answer without a size must not reach a node that is in use. (While
// one process waits for the size and another looks up the name, the kernel would take the size, which was
// asked for earlier, for out of date, and the first process would find an end at 0: Linux,
// fuse_change_attributes(). Invalidating a node does the same to those who wait.) The numbers that stat()
// shows are the inodes; those of directories are their nodes.

using NodeNumber = uint64_t;  // libfuse's fuse_ino_t: 32 bits of inode, 20 of lookup, 12 of opening

inline Inode inode_of(NodeNumber node) {
  return node & UINT32_MAX;
}

// Thread-safe.
class Nodes {
 public:
  // For the answer of one lookup of a file, by what its size, if it is known, was known from.
  NodeNumber of(Inode file, uint64_t opening, bool has_size) {
    const uint64_t lookup = has_size ? 0 : ++lookups_ % kLookups + 1;
    return opening % kOpenings << 52 | lookup << 32 | file;
  }
  static bool is_of(NodeNumber node, uint64_t opening) { return node >> 52 == opening % kOpenings; }

  // Of the file handles that are open.
  void opened(NodeNumber node);
  void closed(NodeNumber node);
  // Those of other openings than this one.
  std::vector<NodeNumber> open_before(uint64_t opening) const;

 private:
  static constexpr uint64_t kLookups = (1 << 20) - 1, kOpenings = 1 << 12;  // then numbers come again

  std::atomic<uint64_t> lookups_{0};  // relaxed: only to differ
  mutable Mutex mutex_;
  std::map<NodeNumber, size_t> open_ GUARDED_BY(mutex_);
};

class MountKeeper;

struct MountSettings {
  std::string mountpoint;                  // an existing directory, absolute and without links; "/dev/fd/N"
  std::vector<std::string> mount_options;  // libfuse's
  double entry_timeout = 1e6;              // seconds
  double attr_timeout = 1e6;
  double negative_timeout = 0;
  bool debug = false;
  bool reopens_on_change = false;  // where the store has changed, by what when_changed() was given
  MountKeeper* keeper = nullptr;   // mounts and unmounts for this process; null: it does so itself
  bool begins_unsized = false;     // the first lines of a text do not wait for its size
  std::function<void()> answers;   // called once the kernel's first request is being answered
};

class FuseMount {
 public:
  // Mounts. Throws Failure with libfuse's exit code.
  FuseMount(Filesystem& filesystem, MountSettings settings);
  // Unmounts, files still open or not.
  ~FuseMount();
  FuseMount(const FuseMount&) = delete;
  FuseMount& operator=(const FuseMount&) = delete;

  // Serves requests until the file system is unmounted or stop() is called. Throws Failure(kLoopFailed).
  void serve();
  // Ends serve() and what is being done for requests. From a signal handler or any thread.
  void stop();
  // What poll() tells the end of the mount by (POLLERR), whoever ended it; -1 where a system has no such
  // thing.
  int connection() const;
  // Whether serve() is ending or has ended. Cheap, from any thread.
  bool is_over() const;

  // How many requests there have been.
  uint64_t requests() const { return requests_.load(std::memory_order_relaxed); }
  // Files and directories that are open.
  int64_t open_files() const { return open_files_.load(std::memory_order_relaxed); }
  // Unmounts unless a process is in it, and says whether that was possible. Not from a callback.
  bool unmount_if_unused();
  // Unmounts, files still open or not, while it is served. Not from a callback.
  void unmount();
  // reopen: opens the store anew, on another thread, and calls what it is given after that. forget: calls
  // invalidate() there. Before serve().
  void when_changed(std::function<void(std::function<void()> then)> reopen, std::function<void()> forget) {
    reopen_ = std::move(reopen);
    forget_ = std::move(forget);
  }
  // Makes the kernel forget what it was told about everything. Not from a callback.
  void invalidate();

 private:
  friend struct FuseCallbacks;

  // What to do where the store has changed, for the end of a message.
  std::string way_back() const;

  Filesystem& filesystem_;
  const MountSettings settings_;
  struct SessionDeleter {
    std::string mountpoint;
    MountKeeper* keeper;  // null: none
    MountIdentity mount;  // where there is none
    void operator()(fuse_session* session) const;
  };
  std::unique_ptr<fuse_session, SessionDeleter> session_;
  std::atomic<bool> is_stopped_{false};  // relaxed: nothing else is told by it
  std::function<void(std::function<void()> then)> reopen_;
  std::function<void()> forget_;
  // Something was found to have changed since the store was opened. Relaxed: seen late, the store is opened
  // late.
  std::atomic<bool> has_changed_{false};
  Faults faults_;
  Nodes nodes_;
  SharedMutex replying_;  // shared while a size of the opening that is shown is looked at and told
  Sizings sizings_;       // after the session, so that it answers before that ends
  std::atomic<uint64_t> requests_{0};  // relaxed: read by the idle clock only
  std::atomic<int64_t> open_files_{0};
};

// Version of the FUSE library, as it says it.
std::string fuse_library_version();
// "" where FUSE can be used, else what is missing.
std::string missing_for_fuse();
// Whether some FUSE file system has its root at path.
bool is_mounted_by_fuse(const std::string& path);

}  // namespace plainfs
