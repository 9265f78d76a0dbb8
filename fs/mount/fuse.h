// The FUSE side of a mount: a session whose callbacks hand every request to a Filesystem and its answer, or
// its Error, back.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cache/mutex.h"
#include "fs/filesystem.h"
#include "fs/mount/faults.h"
#include "fs/mount/nodes.h"
#include "fs/sizings.h"
#include "fs/unmount.h"

struct fuse_session;

namespace plainfs {

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
  // Whether serve() is ending or has ended. Cheap, from any thread.
  bool is_over() const;

  // How many requests there have been.
  uint64_t requests() const { return requests_.load(std::memory_order_relaxed); }
  // Files and directories that are open.
  int64_t open_files() const { return open_files_.load(std::memory_order_relaxed); }
  // Unmounts unless somebody is in it, and says whether that was possible. Not from a callback.
  bool unmount_if_unused();
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
  // Something was found to have changed since the store was opened. Relaxed: whoever sees it late opens late.
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
