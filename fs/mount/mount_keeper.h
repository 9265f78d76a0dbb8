// Mounting and unmounting for a daemon in a sandbox, by a small process beside it: who is confined by
// Landlock may do neither, and who has given up new privileges cannot run the setuid fusermount3. The process
// is started before anything of a store is read, reads nothing of one, and ends with the daemon.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/channel.h"
#include "formats/core/base/descriptor.h"

namespace plainfs {

class MountKeeper {
 public:
  // Starts it. Requires: this is the only thread. Throws Failure(kNotDaemonized).
  MountKeeper();
  // Lets it end, and waits for that. What is mounted stays.
  ~MountKeeper();
  MountKeeper(const MountKeeper&) = delete;
  MountKeeper& operator=(const MountKeeper&) = delete;

  // The /dev/fuse of a new mount with these options, libfuse's. Throws Failure as mount_fuse_session() does.
  Descriptor mount(const std::string& mountpoint, const std::vector<std::string>& options);
  // As unmount_fuse(). Thread-safe.
  bool unmount(const std::string& mountpoint, bool with_files_open);

 private:
  // nullopt where the process is gone.
  std::optional<Message> ask(uint32_t question, const std::string& text);

  Mutex asking_;
  Channel channel_;
  pid_t process_ = -1;
};

// Whether that was possible.
bool unmount_fuse(const std::string& mountpoint, bool with_files_open);

}  // namespace plainfs
