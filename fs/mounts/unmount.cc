#include "fs/mounts/unmount.h"

#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#ifdef __linux__
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#else
extern char** environ;
#endif

#include "formats/core/base/descriptor.h"
#include "fs/mounts/mount_table.h"

namespace plainfs {
namespace {

StillMounted run_to_its_end(std::vector<const char*> words) {
  words.push_back(nullptr);
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, words[0], nullptr, nullptr, const_cast<char**>(words.data()), environ);
  if (error != 0) return {error, words[0]};
  return {wait_for_end(child) == 0 ? 0 : EBUSY, {}};
}

#ifdef __linux__
// Runs fusermount3; where only fuse 2 is installed, its helper, which takes the same options.
StillMounted run_helper(const std::vector<const char*>& options) {
  std::vector<const char*> words{"fusermount3"};
  words.insert(words.end(), options.begin(), options.end());
  const StillMounted result = run_to_its_end(words);
  if (result.error != ENOENT) return result;
  words.front() = "fusermount";
  const StillMounted older = run_to_its_end(words);
  return older.error == ENOENT ? result : older;
}
#endif

}  // namespace

StillMounted unmount_fuse(const std::string& mountpoint, bool with_files_open) {
  const char* const path = mountpoint.c_str();
#ifdef __linux__
  if (::umount2(path, UMOUNT_NOFOLLOW | (with_files_open ? MNT_DETACH : 0)) == 0) return {};
  if (errno != EPERM && errno != EACCES) return {errno, {}};
  if (with_files_open) return run_helper({"-u", "-q", "-z", "--", path});
  return run_helper({"-u", "-q", "--", path});
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
