// The decoders of plainfs as filters of libhdf5, for chunks that the library decodes by itself: those of the
// sources of a virtual dataset. They do not trust the data, unlike the library's own decoders of n-bit,
// scale-offset and szip, which they replace.
#pragma once

#include <cstdint>

namespace plainfs::hdf5 {

// Registers the decoders. Requires: the library's lock is held.
void register_own_filters();

// Returns whether the library can then decode a filter without trusting the data. Requires: the library's
// lock is held.
bool decodes_safely(int filter);

// While it exists, the library decodes chunks by the decoders above, which return up to twice as many bytes
// as the largest chunk has: a chunk itself may claim any size. Without one it uses its own decoders, and
// fails for filters that it lacks. Requires: the library's lock is held.
class LargestChunk {
 public:
  explicit LargestChunk(uint64_t bytes);
  ~LargestChunk();
  LargestChunk(const LargestChunk&) = delete;
  LargestChunk& operator=(const LargestChunk&) = delete;

 private:
  const uint64_t before_;
};

}  // namespace plainfs::hdf5
