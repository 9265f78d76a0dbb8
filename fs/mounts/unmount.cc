#include "fs/mounts/unmount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <vector>

#ifdef __linux__
#include <sys/mount.h>
#include <sys/stat.h>
#else
extern char** environ;
#endif

#include "formats/core/base/descriptor.h"
#include "fs/mounts/mount_table.h"

namespace plainfs {
namespace {

// Starts a program with `errors` as its standard error. Returns 0 or the error.
int start(pid_t& child, const std::vector<const char*>& arguments, int errors) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, const_cast<char**>(arguments.data()), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Runs a program that unmounts, to its end. What it writes is the only reason that it gives.
StillMounted run_to_its_end(std::vector<const char*> arguments) {
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe(ends) != 0) return {errno, {}, {}};
  const Descriptor output(ends[0]);
  Descriptor errors(ends[1]);
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  pid_t child = 0;
  const int error = start(child, arguments, errors.number());
  if (error != 0) return {error, arguments[0], {}};
  errors = {};
  constexpr size_t kMaxText = 4096;
  std::string text = read_rest(output.number(), kMaxText).value_or("");
  if (wait_for_end(child) == 0) return {};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  constexpr const char* kBusy = "esource busy";  // as the systems end or begin it
  if (text.find(kBusy) != std::string::npos) return {EBUSY, {}, {}};
  return {EPERM, {}, text.empty() ? fmt::format("{} gives no reason", arguments[0]) : text};
}

#ifdef __linux__
// Runs fusermount3; where only fuse 2 is installed, its helper, which takes the same options.
StillMounted run_helper(const std::vector<const char*>& options) {
  std::vector<const char*> arguments{"fusermount3"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const StillMounted result = run_to_its_end(arguments);
  if (result.error != ENOENT) return result;
  arguments.front() = "fusermount";
  const StillMounted older = run_to_its_end(arguments);
  return older.error == ENOENT ? result : older;
}
#endif

}  // namespace

StillMounted unmount_fuse(const std::string& mountpoint, bool with_files_open) {
  const char* const path = mountpoint.c_str();
#ifdef __linux__
  if (::umount2(path, UMOUNT_NOFOLLOW | (with_files_open ? MNT_DETACH : 0)) == 0) return {};
  if (errno != EPERM && errno != EACCES) return {errno, {}, {}};
  if (with_files_open) return run_helper({"-u", "-z", "--", path});
  return run_helper({"-u", "--", path});
#else
  return with_files_open ? run_to_its_end({"umount", "-f", path}) : run_to_its_end({"umount", path});
#endif
}

MountIdentity identity_of_mount(const std::string& mountpoint) {
  const Mounted mounted = what_is_mounted(mountpoint);
  MountIdentity identity{0, mounted.device, mounted.source};
#if defined(__linux__) && defined(STATX_MNT_ID)
  constexpr unsigned kUnique = 0x4000;  // STATX_MNT_ID_UNIQUE, which the headers may be too old for
  struct statx status {};
  constexpr int kAsIs = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;
  if (::statx(AT_FDCWD, mountpoint.c_str(), kAsIs, STATX_MNT_ID | kUnique, &status) == 0 &&
      (status.stx_mask & (STATX_MNT_ID | kUnique)) != 0)
    identity.number = status.stx_mnt_id;
#endif
  return identity;
}

}  // namespace plainfs
