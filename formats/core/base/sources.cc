#include "formats/core/base/sources.h"

#include <cerrno>

#include "formats/core/base/change_watch.h"
#include "formats/core/base/error.h"
#include "formats/core/base/host_path.h"

namespace plainfs {

bool Sources::look(const std::string& location, struct stat& status) {
  if (::stat(location.c_str(), &status) == 0) return true;
  if (!is_absence(errno)) return false;
  const int error = errno;
  const std::string place = place_of(location);
  if (place != location) return ::stat(place.c_str(), &status) == 0;
  errno = error;
  return false;
}

bool Sources::is_unwritten(const struct stat& now, uint64_t before) {
  return explains_change(before, metadata_mark(now));
}

FilePtr Sources::open(const std::string& location) {
  FilePtr file = open_if_exists(location);
  if (!file) throw not_found("{}: No such file or directory", location);
  return file;
}

Bytes Sources::read_whole(const std::string& location, uint64_t max_bytes) {
  const FilePtr file = open(location);
  check_is_small(location, file->size(), max_bytes);
  return file->read_at(0, file->size());
}

std::optional<Bytes> Sources::read_whole_if_exists(const std::string& location, uint64_t max_bytes) {
  const FilePtr file = open_if_exists(location);
  if (!file) return std::nullopt;
  check_is_small(location, file->size(), max_bytes);
  return file->read_at(0, file->size());
}

}  // namespace plainfs
