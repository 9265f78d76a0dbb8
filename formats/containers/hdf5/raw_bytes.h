// Numbers and stretches of an HDF5 file, read without the library.
#pragma once

#include "formats/containers/hdf5/file_layout.h"
#include "formats/core/base/cursor.h"
#include "formats/core/base/file.h"

namespace plainfs::hdf5 {

// A little-endian unsigned number of size bytes, 1 to 8. Requires: bytes.size() >= size.
uint64_t load_unsigned(const std::byte* bytes, unsigned size);

// The next address; counts from the base address.
uint64_t address_at(Cursor& cursor, const FileLayout& layout);

// size bytes at address. Throws damaged where they are not all in the file; what: they are.
Bytes read_bytes(const File& file, const FileLayout& layout, uint64_t address, uint64_t size,
                 const char* what);

}  // namespace plainfs::hdf5
