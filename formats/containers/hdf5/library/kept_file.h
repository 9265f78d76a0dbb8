// A file driver for libhdf5 that writes nowhere: what the library writes is kept in memory, as extents of a
// file whose other bytes are zero, so that room for data of any size costs nothing.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "formats/containers/hdf5/library/library.h"

namespace plainfs::hdf5 {

class KeptFile {
 public:
  void clear() { extents_.clear(); }
  // Throws bad_alloc; what was there is then lost too.
  void write(uint64_t offset, std::span<const char> bytes);
  // What was never written is zero.
  void read(uint64_t offset, std::span<char> bytes) const;

  // By offset; none overlaps another, and neighbours are one.
  const std::map<uint64_t, std::string>& extents() const { return extents_; }
  uint64_t size = 0;  // as the library has set it

 private:
  std::map<uint64_t, std::string> extents_;
};

// Makes the files that are created with this access list go into kept. What there is no memory for is an
// error of the driver (file_driver.h). Requires: the library's lock is held; kept lives as long as the file
// is open.
void keep_in(KeptFile& kept, hid_t access);

}  // namespace plainfs::hdf5
