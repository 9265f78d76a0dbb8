#include "fs/mount/mountpoint.h"

#include <boost/filesystem.hpp>

#include "formats/base/location.h"
#include "formats/registry.h"
#include "fs/exit_code.h"
#include "fs/mount/fuse.h"

namespace plainfs {
namespace {

namespace files = boost::filesystem;

bool is_inside(const files::path& path, const files::path& folder) {
  const files::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

std::string usable(const std::string& given, const Store& store) {
  boost::system::error_code error;
  const files::file_status status = files::status(given, error);
  if (status.type() == files::file_not_found)
    throw Failure(kMountFailed, given + ": no such mountpoint; make it with mkdir, or leave it out");
  if (error == boost::system::errc::not_connected) {
    throw Failure(
        kMountFailed,
        fmt::format("{}: the stale mount of a program that is gone; clear it with: fusermount3 -u {}", given,
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
    throw Failure(kMountFailed, given + ": the store is inside, a mount there would hide it");
  if (is_inside(path, own) && store.format != "folder")
    throw Failure(kMountFailed, given + ": is inside the store");
  return path.string();
}

// "pbmc" for "pbmc.h5", "matrix.plain" for a folder "matrix", "pbmc-1" where that is taken; empty where
// folder takes no directory.
std::string new_directory(const files::path& folder, const files::path& store) {
  const std::string stem =
      store.stem() == store.filename() ? store.filename().string() + ".plain" : store.stem().string();
  for (int number = 0; number < 1000; ++number) {
    const files::path path = folder / (number == 0 ? stem : fmt::format("{}-{}", stem, number));
    boost::system::error_code error;
    if (files::create_directory(path, error)) return files::canonical(path).string();
    if (error && error != boost::system::errc::file_exists) return {};
  }
  return {};
}

}  // namespace

Mountpoint::Mountpoint(const std::string& given, const Store& store) {
  if (!given.empty()) {
    path_ = usable(given, store);
    return;
  }
  const files::path path = store.path;
  if (!is_url(store.path)) path_ = new_directory(path.parent_path(), path);
  if (path_.empty()) path_ = new_directory(files::current_path(), path);
  if (path_.empty())
    throw Failure(kNoMountpoint, store.path + ": no directory can be made to mount it on; name one");
  is_new_ = true;
}

Mountpoint::~Mountpoint() {
  boost::system::error_code error;
  if (is_new_) files::remove(path_, error);
}

}  // namespace plainfs
