// The FUSE side of a mount: a session with callbacks that hand every request to a Filesystem and reply with
// its result or Error.
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

// The reasons why files cannot be read. After EIO, a user can query them: `getfattr -n user.plainfs.error
// FILE`. Thread-safe.
class Faults {
 public:
  static constexpr std::string_view kAttribute = "user.plainfs.error";

  // Records the last failure of a request for inode.
  void remember(Inode inode, const Error& error);
  // Forgets all failures. Call it when the store was opened again.
  void forget();
  // Returns the error that opening or listing inode gives now, else the last recorded failure; nullopt:
  // neither. Takes no pass over the content of a file.
  std::optional<std::string> reason(Filesystem& filesystem, Inode inode) const;

 private:
  mutable Mutex mutex_;
  std::unordered_map<Inode, std::string> reasons_ GUARDED_BY(mutex_);
};

// The numbers by which the kernel knows files. A node belongs to one opening of the store. After reopening,
// the kernel knows the file by another node, and a request with the old one makes it look up the name again
// (ESTALE), so that sizes and pages of the two openings never mix. If the size was unknown when the name was
// looked up, the node belongs to that lookup alone: a reply without a size must not reach a node that is in
// use. (If one process waits for the size while another looks up the name, the kernel would take the size for
// outdated, as it was requested earlier, and the first process would find the end of the file at 0: Linux,
// fuse_change_attributes(). Invalidating a node has the same effect on waiting processes.) stat() shows
// inodes. The node of a directory is its inode.

using NodeNumber = uint64_t;  // libfuse's fuse_ino_t: 32 bits of inode, 20 of lookup, 12 of opening

inline Inode inode_of(NodeNumber node) {
  return node & UINT32_MAX;
}

// The nodes in use. Thread-safe.
class Nodes {
 public:
  // Returns the node for the reply to one lookup of a file. has_size: the size is known. opening: of its
  // status.
  NodeNumber of(Inode file, uint64_t opening, bool has_size) {
    const uint64_t lookup = has_size ? 0 : ++lookups_ % kLookups + 1;
    return opening % kOpenings << 52 | lookup << 32 | file;
  }
  static bool is_of(NodeNumber node, uint64_t opening) { return node >> 52 == opening % kOpenings; }

  // Count the open file handles of a node.
  void opened(NodeNumber node);
  void closed(NodeNumber node);
  // Returns the open nodes of other openings than this one.
  std::vector<NodeNumber> open_before(uint64_t opening) const;

 private:
  static constexpr uint64_t kLookups = (1 << 20) - 1, kOpenings = 1 << 12;  // then numbers repeat

  std::atomic<uint64_t> lookups_{0};  // relaxed: values only have to differ
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
  bool reopens_on_change = false;  // when the store has changed, call the function given to when_changed()
  MountKeeper* keeper = nullptr;   // mounts and unmounts for this process; null: not used
  bool begins_unsized = false;     // do not delay the first lines of a text for its size
  std::function<void()> answers;   // called while the kernel's first request is answered
};

class FuseMount {
 public:
  // Mounts the filesystem. Throws Failure with libfuse's exit code.
  FuseMount(Filesystem& filesystem, MountSettings settings);
  // Unmounts, even if files are open.
  ~FuseMount();
  FuseMount(const FuseMount&) = delete;
  FuseMount& operator=(const FuseMount&) = delete;

  // Serves requests until the file system is unmounted or stop() is called. Throws Failure(kLoopFailed).
  void serve();
  // Ends serve() and the work for requests. Callable from a signal handler or any thread.
  void stop();
  // Returns a descriptor for which poll() reports the end of the mount (POLLERR), whatever its cause; -1 on
  // systems without one.
  int connection() const;
  // Returns whether serve() is ending or has ended. Cheap, callable from any thread.
  bool is_over() const;

  // Returns the number of requests so far that use the store: those about .plainfs are not counted.
  uint64_t requests() const { return requests_.load(std::memory_order_relaxed); }
  // Returns the number of open files and directories of the store.
  int64_t open_files() const { return open_files_.load(std::memory_order_relaxed); }
  // Unmounts unless a process uses the mount. Returns whether it unmounted. Do not call it from a callback.
  bool unmount_if_unused();
  // Unmounts while serving, even if files are open. Do not call it from a callback.
  void unmount();
  // Sets the reactions to a change of the store. reopen: opens the store again on another thread and then
  // calls its argument. forget: calls invalidate() on that thread. Call it before serve().
  void when_changed(std::function<void(std::function<void()> then)> reopen, std::function<void()> forget) {
    reopen_ = std::move(reopen);
    forget_ = std::move(forget);
  }
  // Makes the kernel forget all its cached answers. Do not call it from a callback.
  void invalidate();

 private:
  friend struct FuseCallbacks;

  // Returns the instructions for reopening a changed store, which end a message.
  std::string how_to_reopen() const;

  Filesystem& filesystem_;
  const MountSettings settings_;
  struct SessionDeleter {
    std::string mountpoint;
    MountKeeper* keeper;  // null: not used
    MountIdentity mount;  // if keeper is null
    void operator()(fuse_session* session) const;
  };
  std::unique_ptr<fuse_session, SessionDeleter> session_;
  std::atomic<bool> is_stopped_{false};  // relaxed: publishes no other data
  std::function<void(std::function<void()> then)> reopen_;
  std::function<void()> forget_;
  // The store is known to have changed since it was opened. Relaxed: a late read only delays reopening.
  std::atomic<bool> has_changed_{false};
  Faults faults_;
  Nodes nodes_;
  SharedMutex replying_;               // shared while a size of the current opening is read and reported
  Sizings sizings_;                    // declared after the session, so that it answers before that ends
  std::atomic<uint64_t> requests_{0};  // relaxed: read by the idle timer only
  std::atomic<int64_t> open_files_{0};
};

// Returns the version that the FUSE library reports.
std::string fuse_library_version();
// Returns "" if FUSE can be used, else what is missing.
std::string missing_for_fuse();
// Returns whether `path` is the root of a FUSE file system.
bool is_mounted_by_fuse(const std::string& path);

}  // namespace plainfs
