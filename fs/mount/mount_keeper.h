// Mounting, unmounting and the system's log for a daemon in a sandbox, by a small process beside it: what is
// confined by Landlock may not mount, without new privileges the setuid fusermount3 cannot be run, and
// without sockets there is no log. The process is started before anything of a store is read, opens nothing
// of one, and ends with the daemon: where that ended without unmounting, by a signal that is not handled, it
// does so, and no mount is left that does not answer.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/channel.h"
#include "formats/core/base/descriptor.h"

namespace plainfs {

// A namespace of mounts of this process and its children alone (mount_namespaces(7)), for `plainfs run`: what
// is mounted in it no other process sees, and it is gone with the last of them, however they end.
//
// By root's right, else by a user namespace of one's own (user_namespaces(7)), in which one stays who one is.
// Throws Failure(kMountFailed), with what to do, where the system allows neither. Requires: one thread only.
void enter_private_mounts();

class MountKeeper {
 public:
  // Starts it. mounts: it will be asked to, and keeps the streams of this process until then. Requires: this
  // is the only thread. log_file: absolute, which it may be asked to open; "" = none. Throws
  // Failure(kNotDaemonized).
  MountKeeper(bool mounts, const std::string& log_file);
  // Lets it end, and waits for that. What it has mounted and was not told to forget is unmounted.
  ~MountKeeper();
  MountKeeper(const MountKeeper&) = delete;
  MountKeeper& operator=(const MountKeeper&) = delete;

  // The /dev/fuse of a new mount with these options, libfuse's. Throws Failure as mount_fuse_session() does.
  Descriptor mount(const std::string& mountpoint, const std::vector<std::string>& options);
  // Unmounts it, if that is still what is mounted there; whether it did. Thread-safe, as all below.
  bool unmount(bool with_files_open);
  // Another process has unmounted it.
  void forget();
  // A line for the system's log. priority: of syslog().
  void log(int priority, const std::string& line);
  // The log file opened anew: none where it cannot be.
  Descriptor open_log();

 private:
  // nullopt where the process is gone.
  std::optional<Message> ask(uint32_t question, const std::string& text);

  Mutex asking_;
  Channel channel_;
  pid_t process_ = -1;
};

}  // namespace plainfs
