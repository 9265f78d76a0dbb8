// The layout of numbers in an HDF5 file, and functions that read them without the library.
#pragma once

#include <cstdint>

#include "formats/core/base/cursor.h"
#include "formats/core/base/file.h"

namespace plainfs::hdf5 {

// The origin and width of addresses in a file, the width of its lengths, and a convention of its writer.
struct FileLayout {
  uint64_t base_address = 0;  // bytes of user block before the superblock
  unsigned address_size = 8;
  unsigned length_size = 8;
  // Times of 8 bytes (H5T_UNIX_D64) are in PyTables' form: seconds and microseconds.
  bool has_timevals = false;
};

// Returns a little-endian unsigned number of size bytes, 1 to 8. Requires: bytes.size() >= size.
uint64_t load_unsigned(const std::byte* bytes, unsigned size);

// Reads the next address, which counts from the base address.
uint64_t address_at(Cursor& cursor, const FileLayout& layout);

// Reads the next length, with the width that the superblock states.
uint64_t length_at(Cursor& cursor, const FileLayout& layout);

// Reads size bytes at address. Throws damaged if they exceed the file. what: their name in the message.
Bytes read_bytes(const File& file, const FileLayout& layout, uint64_t address, uint64_t size,
                 const char* what);

}  // namespace plainfs::hdf5
