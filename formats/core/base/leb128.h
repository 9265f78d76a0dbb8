// Reads numbers in LEB128: seven bits a byte, the lowest first (encode.h writes them).
#pragma once

#include <cstdint>

#include "formats/core/base/cursor.h"
#include "formats/core/base/error.h"

namespace plainfs {

// Reads a number of up to `bits` bits, at most 64. Throws damaged if it has more bytes than these need, or
// the input ends.
inline uint64_t read_leb128(Cursor& in, unsigned bits = 64) {
  constexpr unsigned kBits = 7;
  constexpr uint8_t kMore = 0x80;
  uint64_t value = 0;
  for (unsigned shift = 0; shift < bits; shift += kBits) {
    const uint8_t byte = in.byte();
    value |= uint64_t{static_cast<uint8_t>(byte & ~kMore)} << shift;
    if (byte < kMore) return value;
  }
  throw damaged("a number has more than {} bytes", (bits + kBits - 1) / kBits);
}

}  // namespace plainfs
