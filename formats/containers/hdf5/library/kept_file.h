// A file of libhdf5's that is kept in memory, as extents of a file whose other bytes are zero, so that room
// for data of any size costs nothing.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "formats/containers/hdf5/library/file_sink.h"

namespace plainfs::hdf5 {

class KeptFile : public FileSink {
 public:
  // Throws bad_alloc; the bytes that were there are then lost too.
  void write_at(uint64_t offset, std::span<const char> bytes) override;
  void read_at(uint64_t offset, std::span<char> bytes) override;
  void set_size(uint64_t size) override { size_ = size; }

  // By offset; none overlaps another, and neighbours are one.
  const std::map<uint64_t, std::string>& extents() const { return extents_; }
  // The end of the last bytes, or as the library has set it since.
  uint64_t size() const { return size_; }

 private:
  std::map<uint64_t, std::string> extents_;
  uint64_t size_ = 0;
};

}  // namespace plainfs::hdf5
