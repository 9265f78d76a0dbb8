#include "formats/core/base/file.h"

#include "formats/core/base/error.h"

namespace plainfs {

void File::check_range(uint64_t offset, size_t size) const {
  if (offset <= size_ && size <= size_ - offset) return;
  check_unchanged();
  throw damaged("{}: expected {} bytes at byte {}, but the file has {}", path_, size, offset, size_);
}

void File::read_at(uint64_t offset, std::span<std::byte> out) const {
  check_range(offset, out.size());
  read(offset, out);
}

Bytes File::read_at(uint64_t offset, size_t size) const {
  check_range(offset, size);
  Bytes bytes(size);
  read(offset, bytes);
  return bytes;
}

}  // namespace plainfs
