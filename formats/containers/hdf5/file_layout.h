// How numbers lie in an HDF5 file.
#pragma once

#include <cstdint>

namespace plainfs::hdf5 {

// Where addresses in the file count from and how wide they are. Lengths are as wide as the superblock says.
struct FileLayout {
  uint64_t base_address = 0;  // bytes of user block before the superblock
  unsigned address_size = 8;
  unsigned length_size = 8;
};

}  // namespace plainfs::hdf5
