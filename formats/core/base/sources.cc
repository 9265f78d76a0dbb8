#include "formats/core/base/sources.h"

#include "formats/core/base/error.h"

namespace plainfs {

FilePtr Sources::open(const std::string& location) {
  FilePtr file = open_if_exists(location);
  if (!file) throw not_found("{}: No such file or directory", location);
  return file;
}

Bytes Sources::read_whole(const std::string& location, uint64_t most_bytes) {
  const FilePtr file = open(location);
  check_is_small(location, file->size(), most_bytes);
  return file->read_at(0, file->size());
}

std::optional<Bytes> Sources::read_whole_if_exists(const std::string& location, uint64_t most_bytes) {
  const FilePtr file = open_if_exists(location);
  if (!file) return std::nullopt;
  check_is_small(location, file->size(), most_bytes);
  return file->read_at(0, file->size());
}

}  // namespace plainfs
