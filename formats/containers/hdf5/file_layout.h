// How numbers lie in an HDF5 file, and reading them without the library.
#pragma once

#include <cstdint>

#include "formats/core/base/cursor.h"
#include "formats/core/base/file.h"

namespace plainfs::hdf5 {

// Where addresses in the file count from and how wide they are, and what its writer means by some of its
// types. Lengths are as wide as the superblock says.
struct FileLayout {
  uint64_t base_address = 0;  // bytes of user block before the superblock
  unsigned address_size = 8;
  unsigned length_size = 8;
  // Times of 8 bytes (H5T_UNIX_D64) are those of PyTables: seconds and microseconds.
  bool has_timevals = false;
};

// A little-endian unsigned number of size bytes, 1 to 8. Requires: bytes.size() >= size.
uint64_t load_unsigned(const std::byte* bytes, unsigned size);

// The next address; counts from the base address.
uint64_t address_at(Cursor& cursor, const FileLayout& layout);

// The next length; as wide as the superblock says.
uint64_t length_at(Cursor& cursor, const FileLayout& layout);

// size bytes at address. Throws damaged where they are not all in the file; what: they are.
Bytes read_bytes(const File& file, const FileLayout& layout, uint64_t address, uint64_t size,
                 const char* what);

}  // namespace plainfs::hdf5
