#include "formats/containers/hdf5/file_layout.h"

#include "formats/core/base/checked.h"
#include "formats/core/base/error.h"

namespace plainfs::hdf5 {

uint64_t load_unsigned(const std::byte* bytes, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = size; i-- > 0;) value = value << 8 | static_cast<uint64_t>(bytes[i]);
  return value;
}

uint64_t address_at(Cursor& cursor, const FileLayout& layout) {
  return load_unsigned(cursor.bytes(layout.address_size).data(), layout.address_size);
}

uint64_t length_at(Cursor& cursor, const FileLayout& layout) {
  return load_unsigned(cursor.bytes(layout.length_size).data(), layout.length_size);
}

Bytes read_bytes(const File& file, const FileLayout& layout, uint64_t address, uint64_t size,
                 const char* what) {
  const uint64_t offset = checked_add(address, layout.base_address);
  if (offset > file.size() || size > file.size() - offset)
    throw damaged("{}: {} bytes at {} lie beyond the file's end at {}", what, size, offset, file.size());
  return file.read_at(offset, size);
}

}  // namespace plainfs::hdf5
