// A file that libhdf5 writes into memory. It is a list of extents, and all other bytes are zero. Room for
// data of any size thus costs nothing.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "formats/containers/hdf5/library/file_sink.h"

namespace plainfs::hdf5 {

class KeptFile : public FileSink {
 public:
  // Throws bad_alloc. The bytes that were there before are then lost too.
  void write_at(uint64_t offset, std::span<const char> bytes) override;
  void read_at(uint64_t offset, std::span<char> bytes) override;
  void set_size(uint64_t size) override { size_ = size; }

  // Keyed by offset. Extents do not overlap, and adjacent ones are joined.
  const std::map<uint64_t, std::string>& extents() const { return extents_; }
  // Returns the end of the last bytes, or the size that the library has set since.
  uint64_t size() const { return size_; }

 private:
  std::map<uint64_t, std::string> extents_;
  uint64_t size_ = 0;
};

}  // namespace plainfs::hdf5
