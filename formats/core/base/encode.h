// Encoders of unsigned numbers: little-endian, and LEB128, which writes seven bits a byte, the lowest first.
// cursor.h has the decoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace plainfs {

// Writes the lowest `bytes` bytes of `value` to `to`.
inline void put_little(std::byte* to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::byte>(value >> 8 * i);
}

// Appends the lowest `bytes` bytes of `value`.
inline void append_little(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i);
}

inline void append_leb128(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

}  // namespace plainfs
