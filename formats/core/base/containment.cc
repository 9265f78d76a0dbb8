#include "formats/core/base/containment.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <optional>
#include <system_error>

#include "formats/core/base/descriptor.h"
#include "formats/core/base/error.h"
#include "formats/core/base/host_path.h"

#ifdef __linux__

#endif

namespace plainfs {

#ifdef O_NOFOLLOW_ANY
int open_without_links(const std::string& path, int flags) {
  return ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW_ANY);
}
#else
namespace {

// For looking up names: does not need the permission to list the folder.
#ifdef O_PATH
constexpr int kFolder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#else
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#endif

// Reports a link as ELOOP, where some flags give ENOTDIR.
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
    if (start == path.npos) return open_in(folder.number(), ".", flags);  // a trailing slash: a folder
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
  // EPERM comes from system call filters that do not know openat2.
  if (descriptor >= 0 || (errno != ENOSYS && errno != EPERM)) return descriptor;
#endif
  return open_folder_by_folder(path, flags);
}
#endif

namespace {

namespace files = boost::filesystem;

// Returns the path with all links resolved; nullopt, with errno, if it cannot be followed.
std::optional<std::string> real_path(const std::string& path) {
  boost::system::error_code error;
  files::path real = plainfs::real_path(files::path(path), error);
  if (!error) return std::move(real).string();
  errno = error.value();
  return std::nullopt;
}

// Throws if the error means that the state of the path is currently unknown.
void check_is_absence(const std::string& path, int error) {
  if (!is_absence(error)) throw unreadable("{}: {}", path, std::generic_category().message(error));
}

// Returns the path with the links of its existing part resolved; the rest is kept by name. Throws the error
// that prevents following it.
std::optional<std::string> partly_real_path(const std::string& path) {
  if (std::optional<std::string> real = real_path(path)) return real;
  check_is_absence(path, errno);
  if (errno == ELOOP || errno == ENAMETOOLONG) return std::nullopt;
  boost::system::error_code error;
  const files::path partly = weakly_real_path(path, error);
  if (!error) return partly.string();
  check_is_absence(path, error.value());
  return std::nullopt;
}

// Returns whether the names alone determine where the path leads, apart from links.
bool is_plain(const std::string& path) {
  const std::string padded = path + "/";
  return path.starts_with('/') && padded.find("/../") == std::string::npos;
}

std::string folder_of(const std::string& path) {
  files::path whole = files::absolute(path);
  while (whole.filename_is_dot() && whole.has_parent_path()) whole = whole.parent_path();
  return whole.parent_path().string();
}

}  // namespace

Containment::Containment(const std::vector<std::string>& folders) : is_bounded_(true) {
  for (const std::string& folder : folders) {
    const std::optional<std::string> real = partly_real_path(folder);
    if (real && std::find(folders_.begin(), folders_.end(), *real) == folders_.end())
      folders_.push_back(*real);
  }
}

Containment Containment::of_store(const std::string& path) {
  if (is_folder_on_host(path)) return Containment(std::vector<std::string>{path});
  std::vector<std::string> folders{folder_of(path)};
  if (const auto real = real_path(path))
    folders.push_back(folder_of(*real));
  else
    check_is_absence(path, errno);
  return Containment(folders);
}

Containment Containment::of_stores(const std::vector<std::string>& paths) {
  Containment all;
  all.is_bounded_ = true;
  for (const std::string& path : paths)
    for (const std::string& folder : of_store(path).folders_)
      if (std::find(all.folders_.begin(), all.folders_.end(), folder) == all.folders_.end())
        all.folders_.push_back(folder);
  return all;
}

Containment Containment::around_store(const std::string& path) {
  return Containment(std::vector<std::string>{folder_of(path)});
}

bool Containment::holds(const std::string& real) const {
  return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
    return folder == "/" || real == folder || (real.starts_with(folder) && real[folder.size()] == '/');
  });
}

int Containment::open(const std::string& path, int flags) const {
  if (!is_bounded_) return ::open(path.c_str(), flags | O_CLOEXEC);
  if (is_plain(path) && holds(path)) {
    const int descriptor = open_without_links(path, flags);
    if (descriptor >= 0 || errno != ELOOP) return descriptor;
  }
  const std::optional<std::string> real = real_path(path);
  if (!real) return -1;
  if (!holds(*real)) {
    errno = EXDEV;
    return -1;
  }
  return open_without_links(*real, flags);
}

bool Containment::contains(const std::string& path) const {
  if (!is_bounded_) return true;
  const auto real = partly_real_path(path);
  return real && holds(*real);
}

void Containment::check(const std::string& path) const {
  if (contains(path)) return;
  throw outside_error(path);
}

Error outside_error(const std::string& path) {
  return unreadable("{}: outside the store's folder; to read it: -o follow_outside", path);
}

}  // namespace plainfs
