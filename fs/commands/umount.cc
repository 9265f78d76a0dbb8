// `plainfs umount`: like fusermount3 -u and umount, but reports why unmounting fails.
#include <boost/filesystem.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "formats/core/text/printable.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/options.h"
#include "fs/commands/commands.h"
#include "fs/mounts/mount_table.h"
#include "fs/mounts/unmount.h"

#ifdef __linux__
#include <sys/vfs.h>
#endif

namespace plainfs {
namespace {

// Resolves links without accessing the last folder of the path, which may be a mount that does not answer.
std::string without_links(const std::string& given) {
  boost::filesystem::path path = boost::filesystem::absolute(given).lexically_normal();
  if (path.filename() == "." || path.filename().empty()) path = path.parent_path();
  boost::system::error_code error;
  const auto parent = boost::filesystem::canonical(path.parent_path(), error);
  const std::string place = error ? path.string() : (parent / path.filename()).string();
  if (!what_is_mounted(place).device.empty()) return place;
  const auto whole = boost::filesystem::canonical(path, error);  // a link to a mountpoint
  return error ? place : whole.string();
}

Failure busy(const std::string& given) {
  return Failure(kTryAgain,
                 fmt::format("{}: busy: a process works in it or has one of its files open; try again "
                             "later, or unmount it when it is no longer used: fusermount3 -uz {}",
                             given, given));
}

#ifdef __linux__
// Returns whether a FUSE mount is there although the kernel's list is empty, because /proc is not mounted, as
// in an empty root. This accesses the mount.
bool is_fuse_without_proc(const std::string& path) {
  constexpr int64_t kFuse = 0x65735546;  // FUSE_SUPER_MAGIC, which older headers lack
  struct statfs system {};
  return mount_table().empty() && ::statfs(path.c_str(), &system) == 0 && system.f_type == kFuse;
}

void check_is_fuse(const std::string& given, const std::string& path) {
  const Mounted mounted = what_is_mounted(path);
  if (is_of_fuse(mounted) || is_fuse_without_proc(path)) return;
  if (mounted.device.empty()) throw Failure(kNotFound, given + ": nothing is mounted there");
  throw Failure(kUsage, fmt::format("{}: not a FUSE mount but {}", given, mounted.type));
}
#endif

// Unmounts the folder and returns when that is done.
void unmount(const std::string& given) {
  const std::string path = without_links(given);
#ifdef __linux__
  check_is_fuse(given, path);
#endif
  const StillMounted still = unmount_fuse(path, false);
  if (!still) return;
  if (still.error != EBUSY && still.reason.empty()) {
    const std::string& what = still.program.empty() ? given : still.program;
    throw Failure(kNotReadable, fmt::format("{}: {}", what, std::strerror(still.error)));
  }
#ifdef __linux__
  // The system reports the same error for a busy mount and for another user's, which fusermount3 does not
  // find.
  boost::system::error_code refused;
  boost::filesystem::status(path, refused);
  if (refused == boost::system::errc::permission_denied)
    throw Failure(kNotReadable, given + ": mounted by another user; only that user or root can unmount it");
#endif
  if (!still.reason.empty()) throw Failure(kNotReadable, fmt::format("{}: {}", given, still.reason));
  throw busy(given);
}

}  // namespace

int umount_command(Arguments arguments) {
  const Options options = parse_options(arguments, kManyNames);
  if (options.names.empty())
    throw Failure(kUsage, "umount: expected a mountpoint: plainfs umount MOUNTPOINT...");
  int code = kSuccess;
  for (const std::string& mountpoint : options.names) {
    try {
      unmount(mountpoint);
    } catch (const Failure& failure) {
      std::fprintf(stderr, "plainfs: %s\n", printable(failure.what()).c_str());
      code = failure.code();
    }
  }
  return code;
}

}  // namespace plainfs
