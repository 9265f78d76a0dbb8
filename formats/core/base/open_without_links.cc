#include "formats/core/base/open_without_links.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#ifdef __linux__
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

#include "formats/core/base/descriptor.h"

namespace plainfs {
#ifdef O_NOFOLLOW_ANY
int open_without_links(const std::string& path, int flags) {
  return ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW_ANY);
}
#else
namespace {

// To look names up in: no right to list it is needed.
#ifdef O_PATH
constexpr int kFolder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#else
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#endif

// One that is a link is refused as such, which some flags have as ENOTDIR.
int open_in(int folder, const std::string& name, int flags) {
  const int descriptor = ::openat(folder, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor >= 0 || errno != ENOTDIR) return descriptor;
  struct stat status {};
  const bool is_link =
      ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
  errno = is_link ? ELOOP : ENOTDIR;
  return -1;
}

int open_folder_by_folder(const std::string& path, int flags) {
  Descriptor folder(::open("/", kFolder));
  size_t start = 0;
  for (;;) {
    start = path.find_first_not_of('/', start);
    if (folder.number() < 0) return -1;
    if (start == path.npos) return open_in(folder.number(), ".", flags);  // a slash at the end: a folder
    const size_t end = path.find('/', start);
    const std::string name = path.substr(start, end - start);
    if (end == path.npos) return open_in(folder.number(), name, flags);
    folder = Descriptor(open_in(folder.number(), name, kFolder));
    start = end;
  }
}

}  // namespace

int open_without_links(const std::string& path, int flags) {
#ifdef SYS_openat2
  open_how how{};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_NO_SYMLINKS;
  const auto descriptor = static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how));
  // EPERM: of filters of system calls that do not know it.
  if (descriptor >= 0 || (errno != ENOSYS && errno != EPERM)) return descriptor;
#endif
  return open_folder_by_folder(path, flags);
}
#endif

}  // namespace plainfs
