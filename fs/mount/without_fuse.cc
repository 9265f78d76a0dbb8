// Replaces the rest of this folder when plainfs is built without libfuse (PLAINFS_FUSE=OFF): everything works
// but mounting.
#include "fs/command_line/exit_code.h"
#include "fs/mount/fuse.h"
#include "fs/mount/mount.h"
#include "fs/mount/run.h"
#include "fs/session.h"

namespace plainfs {
namespace {

constexpr char kNoFuse[] =
    "this plainfs was built without FUSE and cannot mount; these work without a mount: plainfs ls, cat, "
    "export, info, "
    "check and serve";

}  // namespace

int mount_store(const Options& options, const std::function<void()>&) {
  const Session session(options);  // reports an unreadable store first
  throw Failure(kMountFailed, kNoFuse);
}

int run_command(const std::vector<std::string>&) {
  throw Failure(kMountFailed, kNoFuse);
}

std::string fuse_library_version() {
  return "none";
}

}  // namespace plainfs
