// The destination of a file that libhdf5 writes.
#pragma once

#include <cstdint>
#include <span>

namespace plainfs::hdf5 {

// A file that the library writes. Its functions may throw anything. The call of the library that led to them
// then throws it.
class FileSink {
 public:
  virtual ~FileSink() = default;
  virtual void write_at(uint64_t offset, std::span<const char> bytes) = 0;
  // Bytes that were never written are zero.
  virtual void read_at(uint64_t offset, std::span<char> bytes) = 0;
  virtual void set_size(uint64_t size) = 0;
};

}  // namespace plainfs::hdf5
