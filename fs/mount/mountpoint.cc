#include "fs/mount/mountpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <string_view>

#ifdef __linux__
#include <sys/sysmacros.h>
#endif

#include "formats/core/base/location.h"
#include "formats/core/text/parsed_number.h"
#include "formats/wrapped/wrapping.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/shell_word.h"
#include "fs/command_line/store_path.h"
#include "fs/mount/fuse.h"
#include "fs/mounts/mount_table.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

constexpr std::string_view kDescriptors = "/dev/fd/";
constexpr int kMaxNumber = 1000;

// Character device 10:229 (Documentation/admin-guide/devices.txt of Linux), which may be invisible in a
// container.
#ifdef __linux__
const dev_t kFuseDevice = makedev(10, 229);
#else
constexpr dev_t kFuseDevice = 0;
#endif

// Checks that the descriptor is an open /dev/fuse, which libfuse does not report.
void take_over(const std::string& given) {
  const int number = parsed_number<int>(std::string_view(given).substr(kDescriptors.size())).value_or(-1);
  struct stat handed {
  }, fuse{};
  if (::fstat(number, &handed) != 0) throw Failure(kMountFailed, given + ": the descriptor is not open");
  const bool is_fuse =
      S_ISCHR(handed.st_mode) &&
      (handed.st_rdev == kFuseDevice || (::stat("/dev/fuse", &fuse) == 0 && handed.st_rdev == fuse.st_rdev));
  if (!is_fuse) throw Failure(kMountFailed, given + ": not an open /dev/fuse");
  if (number <= STDERR_FILENO)
    throw Failure(kMountFailed, given + ": a standard stream, which plainfs uses itself");
  ::fcntl(number, F_SETFD, FD_CLOEXEC);
}

bool is_inside(const files::path& path, const files::path& folder) {
  const files::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// Returns whether a mountpoint that does not exist has the name of a file that `export` writes.
bool is_file_to_convert_to(std::string_view given) {
  constexpr std::string_view kEndings[] = {".h5ad", ".rds", ".zarr", ".h5",      ".h5mu", ".loom",
                                           ".mtx",  ".csv", ".vcf",  ".parquet", ".nc",   ".h5seurat"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return given.ends_with(ending); });
}

std::string usable(const std::string& given, const Store& store) {
  boost::system::error_code error;
  const files::file_status status = files::status(given, error);
  if (status.type() == files::file_not_found && is_file_to_convert_to(given))
    throw Failure(kUsage, fmt::format("{}: no such directory; to convert: plainfs export {} {}", given,
                                      shell_word(store.path), shell_word(given)));
  if (status.type() == files::file_not_found)
    throw Failure(kMountFailed, given + ": no such directory; create it with mkdir, or leave it out");
  // Aborted: that program is still ending.
  if (error == boost::system::errc::not_connected || error == boost::system::errc::connection_aborted) {
    throw Failure(
        kMountFailed,
        fmt::format("{}: a stale mount of a program that has ended; clear it with: fusermount3 -u {}", given,
                    given));
  }
  if (error) throw Failure(kMountFailed, fmt::format("{}: {}", given, error.message()));
  if (status.type() != files::directory_file) {
    const bool is_store = is_store_on_host(given);
    throw Failure(kMountFailed,
                  given + (is_store ? ": not a directory; the store comes first: plainfs STORE MOUNTPOINT"
                                    : ": not a directory"));
  }
  const files::path path = files::canonical(given);
  if (is_mounted_by_fuse(path.string()))
    throw Failure(kMountFailed, given + ": busy: something is mounted there");
  if (is_url(store.path)) return path.string();
  const files::path own = files::canonical(store.path, error);
  if (is_inside(own, path))
    throw Failure(kMountFailed, given + ": the store is inside; a mount there would hide it");
  if (is_inside(path, own) && !store.is_folder) throw Failure(kMountFailed, given + ": inside the store");
  return path.string();
}

// Returns "matrix.plain" for a folder "matrix", and "pbmc-1" if "pbmc" is taken.
files::path numbered(const files::path& folder, const files::path& store, int number) {
  const std::string stem = mount_name(store.string());
  return folder / (number == 0 ? stem : fmt::format("{}-{}", stem, number));
}

// Uses the kernel's table, as the mount itself may not answer.
bool is_mounted_on(const files::path& path) {
  boost::system::error_code error;
  const files::path parent = files::canonical(path.parent_path(), error);
  return error || !what_is_mounted((parent / path.filename()).string()).device.empty();
}

// Returns whether path is an empty directory of this user with nothing mounted on it.
bool is_free(const files::path& path) {
  if (is_mounted_on(path)) return false;
  boost::system::error_code error;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
    return false;
  return files::is_empty(path, error) && !error;
}

}  // namespace

std::string new_mountpoint(const std::string& folder, const std::string& store) {
  for (int number = 0; number < kMaxNumber; ++number) {
    const files::path path = numbered(folder, store, number);
    boost::system::error_code error;
    if (files::create_directory(path, error)) return files::canonical(path).string();
    if (error && error != boost::system::errc::file_exists) return {};
  }
  return {};
}

bool is_descriptor(const std::string& mountpoint) {
  const std::string_view number =
      std::string_view(mountpoint).substr(std::min(kDescriptors.size(), mountpoint.size()));
  return mountpoint.starts_with(kDescriptors) && !number.empty() &&
         number.find_first_not_of("0123456789") == number.npos;
}

Mountpoint::Mountpoint(const std::string& given, const Store& store) {
  if (is_descriptor(given)) {
    take_over(given);
    path_ = given;
    is_handed_over_ = true;
    return;
  }
  if (!given.empty()) {
    path_ = usable(given, store);
    return;
  }
  const files::path path = store.path;
  if (path == "/")
    throw Failure(kNoMountpoint,
                  "/: the whole machine; to show all of it, name a mountpoint: plainfs / MOUNTPOINT");
  if (!is_url(store.path)) take_or_make(path.parent_path().string(), store.path);
  if (path_.empty()) take_or_make(files::current_path().string(), store.path);
  if (path_.empty()) throw Failure(kNoMountpoint, store.path + ": cannot create a mountpoint; name one");
}

void Mountpoint::take_or_make(const std::string& folder, const std::string& store) {
  for (int number = 0; number < kMaxNumber; ++number) {
    const files::path path = numbered(folder, store, number);
    boost::system::error_code error;
    const bool is_new = files::create_directory(path, error);
    if (error && error != boost::system::errc::file_exists) return;
    if (!is_new && !is_free(path)) continue;
    Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const bool is_locked = ::flock(directory.number(), LOCK_EX | LOCK_NB) == 0;
    // Another mount may hold it. Without locks, only a directory created here is certainly free.
    if (!is_locked && (!is_new || errno == EWOULDBLOCK)) continue;
    if (is_mounted_on(path)) continue;  // by a faster process
    claim_ = std::move(directory);
    path_ = files::canonical(path).string();
    is_new_ = is_new;
    is_chosen_ = true;
    return;
  }
}

Mountpoint::~Mountpoint() {
  boost::system::error_code error;
  if (is_new_) files::remove(path_, error);
}

}  // namespace plainfs
