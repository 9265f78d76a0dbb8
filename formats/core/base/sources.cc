#include "formats/core/base/sources.h"

#include "formats/core/base/error.h"

namespace plainfs {

FilePtr Sources::open(const std::string& location) {
  FilePtr file = open_if_exists(location);
  if (!file) throw not_found("{}: No such file or directory", location);
  return file;
}

Bytes Sources::read_whole(const std::string& location, uint64_t most_bytes) {
  std::optional<Bytes> bytes = read_whole_if_exists(location, most_bytes);
  if (!bytes) throw not_found("{}: No such file or directory", location);
  return *std::move(bytes);
}

std::optional<Bytes> Sources::read_whole_if_exists(const std::string& location, uint64_t most_bytes) {
  const FilePtr file = open_if_exists(location);
  if (!file) return std::nullopt;
  if (file->size() > most_bytes)
    throw damaged("{}: has {} bytes, at most {} are expected", location, file->size(), most_bytes);
  return file->read_at(0, file->size());
}

}  // namespace plainfs
