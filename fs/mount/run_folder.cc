#include "fs/mount/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/filesystem.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "fs/exit_code.h"
#include "fs/mount/mountpoint.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

constexpr const char* kPrefix = "plainfs-run-";
constexpr int kAttempts = 10;

// The folder, where it is there, this user's, and nobody else has it.
Descriptor locked(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (folder.number() < 0 || ::fstat(folder.number(), &status) != 0 || status.st_uid != ::geteuid() ||
      ::flock(folder.number(), LOCK_EX | LOCK_NB) != 0 || ::fstat(folder.number(), &status) != 0 ||
      status.st_nlink == 0)
    return {};
  return folder;
}

// Mountpoints are empty: nothing else is removed.
void remove_left_behind(const files::path& temporary) {
  boost::system::error_code error;
  for (files::directory_iterator at(temporary, error), end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().string().starts_with(kPrefix)) continue;
    const Descriptor folder = locked(at->path().string());
    if (folder.number() < 0) continue;
    boost::system::error_code ignored;
    for (files::directory_iterator inner(at->path(), ignored); !ignored && inner != end;
         inner.increment(ignored))
      ::rmdir(inner->path().c_str());
    ::rmdir(at->path().c_str());
  }
}

}  // namespace

RunFolder::RunFolder() {
  boost::system::error_code error;
  const files::path temporary = files::temp_directory_path(error);
  remove_left_behind(temporary);
  // One that is made can be taken for one that was left, before it is locked. Where nothing can be locked, it
  // is done without, and nothing is taken for left behind.
  for (int attempt = 0; lock_.number() < 0 && attempt < kAttempts; ++attempt) {
    if (attempt > 0) ::rmdir(path_.c_str());
    path_ = (temporary / (std::string(kPrefix) + "XXXXXX")).string();
    if (error || !::mkdtemp(path_.data()))
      throw Failure(kNoMountpoint, fmt::format("{}: {}", path_, std::strerror(errno)));
    lock_ = locked(path_);
  }
  path_ = files::canonical(path_).string();
}

RunFolder::~RunFolder() {
  for (const std::string& mountpoint : made_) ::rmdir(mountpoint.c_str());
  ::rmdir(path_.c_str());
}

std::string RunFolder::add(const std::string& store) {
  const std::string path = new_mountpoint(path_, store);
  if (path.empty()) throw Failure(kNoMountpoint, path_ + ": no directory can be made in it");
  made_.push_back(path);
  return path;
}

}  // namespace plainfs
