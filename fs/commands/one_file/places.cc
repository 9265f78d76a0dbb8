#include "fs/commands/one_file/places.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/filesystem.hpp>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "formats/core/text/path_names.h"
#include "fs/commands/one_file/places_keeper.h"

namespace plainfs {
namespace {

// The target of a symbolic link that was put aside for a free place.
constexpr char kFree[] = "plainfs: there was no file";

std::string aside(const std::string& path) {
  return path.substr(0, path.size() - last_name(path).size()) +
         part_name(std::string(last_name(path)) + " as it was", 0, {});
}

bool is_taken(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

bool is_mark(const std::string& path) {
  char target[sizeof kFree] = {};
  const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
  return size == sizeof kFree - 1 && std::memcmp(target, kFree, sizeof kFree - 1) == 0;
}

void move_aside(const std::string& path, bool replaces) {
  if (!replaces && is_taken(path))
    throw Failure(kNotWritten, fmt::format("{}: something else was created there in the meantime", path));
  if (::rename(path.c_str(), aside(path).c_str()) == 0) return;
  if (errno != ENOENT || ::symlink(kFree, aside(path).c_str()) != 0) throw disk_failure(path);
}

// Does nothing if nothing was moved aside. is_new: what is in the place now is a new file.
bool put_back(const std::string& path, bool is_new) {
  const std::string before = aside(path);
  if (!is_taken(before)) return true;
  if (!is_mark(before)) return ::rename(before.c_str(), path.c_str()) == 0;
  return (!is_new || ::unlink(path.c_str()) == 0 || errno == ENOENT) && ::unlink(before.c_str()) == 0;
}

// The last to be put back is the first file. first_new: the number of the first path with a new file. Returns
// the first path that the disk refuses; null if it refuses none.
const std::string* put_all_back(std::span<const std::string> paths, size_t first_new) {
  for (size_t i = paths.size(); i-- > 0;)
    if (!put_back(paths[i], i >= first_new)) return &paths[i];
  return nullptr;
}

// Removes a file or a folder. Returns false, with errno, if the disk refuses.
bool remove_place(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return errno == ENOENT;
  if (!S_ISDIR(status.st_mode)) return ::unlink(path.c_str()) == 0;
  boost::system::error_code error;
  boost::filesystem::remove_all(path, error);
  errno = error.value();
  return !error;
}

// The last to be removed is what the first file replaced. Returns the first path with an old file that the
// disk does not remove; null if it removes all.
const std::string* remove_old(std::span<const std::string> paths) {
  for (size_t i = paths.size(); i-- > 0;)
    if (!remove_place(aside(paths[i]))) return &paths[i];
  return nullptr;
}

}  // namespace

void take_places(std::span<const FinishedFile> files, bool replaces) {
  if (files.size() == 1) return files[0].file->take_place(files[0].size, replaces);
  std::vector<std::string> paths;
  for (const FinishedFile& one : files) paths.push_back(one.file->path());
  const PlacesKeeper keeper(paths);
  size_t first_new = files.size();
  try {
    for (const std::string& path : paths) move_aside(path, replaces);
    for (; first_new > 0; --first_new)
      files[first_new - 1].file->take_place(files[first_new - 1].size, replaces);
  } catch (const Failure& failure) {
    const std::string* const left = put_all_back(paths, first_new);
    if (!left) throw;
    throw Failure(failure.code(), fmt::format("{}; the old file is {}, because it cannot be put back: {}",
                                              failure.what(), aside(*left), std::strerror(errno)));
  }
  remove_old(paths);
}

void replace_folder(const std::string& part, const std::string& path) {
  const std::string paths[] = {path};
  const PlacesKeeper keeper(paths);
  move_aside(path, true);
  if (::rename(part.c_str(), path.c_str()) != 0) {
    const Failure refused = disk_failure(path);
    if (put_back(path, false)) throw refused;
    throw Failure(kNotWritten, fmt::format("{}; the old folder is {}, because it cannot be put back: {}",
                                           refused.what(), aside(path), std::strerror(errno)));
  }
  remove_old(paths);
}

bool is_half_replaced(const std::string& first) {
  return is_taken(aside(first));
}

bool repair_places(std::span<const std::string> paths) {
  if (!is_half_replaced(paths[0])) return false;
  const bool is_new = is_taken(paths[0]);
  const std::string* const left = is_new ? remove_old(paths) : put_all_back(paths, 0);
  if (left)
    throw Failure(kNotWritten,
                  fmt::format("{}: a killed export moved it to {}, and it cannot be {}: {}", *left,
                              aside(*left), is_new ? "removed" : "put back", std::strerror(errno)));
  return true;
}

}  // namespace plainfs
