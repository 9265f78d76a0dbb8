// A small process that mounts, unmounts and writes the system log for a daemon in a sandbox. A process
// confined by Landlock may not mount, without new privileges it cannot run the setuid fusermount3, and
// without sockets it cannot write the log. The keeper is started before any data of a store are read, and it
// opens no store. It ends with the daemon. If the daemon ended without unmounting, by a signal that is not
// handled, the keeper unmounts, so that no dead mount is left.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/channel.h"
#include "formats/core/base/descriptor.h"

namespace plainfs {

// Enters a mount namespace of this process and its children (mount_namespaces(7)), for `plainfs run`. No
// other process sees the mounts in it, and they disappear with the last of its processes, however they end.
//
// As root, it does so directly, otherwise through a user namespace (user_namespaces(7)) that keeps the user
// id. Throws Failure(kMountFailed), with instructions, if the system allows neither. Requires: a single
// thread.
//
// Returns false if / is not a mount point, as in a chroot: then only the mounts below a folder given to
// make_private() are private.
bool enter_private_mounts();
// Makes the folder a mount point, so that mounts below it are private. Until the folder is removed, other
// processes may see it as a mount point, but none of those mounts. Throws like enter_private_mounts().
void make_private(const std::string& folder);

class MountKeeper {
 public:
  // Starts the keeper. mounts: it will be asked to mount, and keeps the streams of this process until then.
  // log_file: an absolute path that it may be asked to open; "" = none. Throws Failure(kNotDaemonized).
  // Requires: a single thread.
  MountKeeper(bool mounts, const std::string& log_file);
  // Ends the keeper and waits for it. Unmounts what it has mounted unless forget() was called.
  ~MountKeeper();
  MountKeeper(const MountKeeper&) = delete;
  MountKeeper& operator=(const MountKeeper&) = delete;

  // Returns the /dev/fuse of a new mount with libfuse's options. Throws Failure like mount_fuse_session().
  Descriptor mount(const std::string& mountpoint, const std::vector<std::string>& options);
  // Unmounts if the mount is still the keeper's own. Returns whether it did. Thread-safe, like all members
  // below.
  bool unmount(bool with_files_open);
  // Records that another process has unmounted it.
  void forget();
  // Writes a line to the system log. priority: as for syslog().
  void log(int priority, const std::string& line);
  // Opens the log file again. Returns an invalid descriptor on failure.
  Descriptor open_log();

 private:
  // Returns nullopt if the process is gone.
  std::optional<Message> ask(uint32_t question, const std::string& text);

  Mutex asking_;
  Channel channel_;
  pid_t process_ = -1;
};

}  // namespace plainfs
