// Encoders of unsigned numbers: little- and big-endian, and LEB128, which writes seven bits a byte, the
// lowest first. cursor.h decodes little-endian numbers. Bytes are std::byte in Bytes, or char in text.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace plainfs {

// Writes the lowest `bytes` bytes of `value` to `to`.
template <class Byte>
void put_little(Byte* to, uint64_t value, size_t bytes) {
  static_assert(sizeof(Byte) == 1);
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<Byte>(value >> 8 * i);
}

// Appends the lowest `bytes` bytes of `value` to a string or Bytes.
template <class Out>
void append_little(Out& out, uint64_t value, size_t bytes) {
  using Byte = typename Out::value_type;
  for (size_t i = 0; i < bytes; ++i) out.push_back(static_cast<Byte>(value >> 8 * i));
}

// Writes the lowest `bytes` bytes of `value` to `to`, the highest of them first.
template <class Byte>
void put_big(Byte* to, uint64_t value, size_t bytes) {
  static_assert(sizeof(Byte) == 1);
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<Byte>(value >> 8 * (bytes - 1 - i));
}

// Appends the lowest `bytes` bytes of `value` to a string or Bytes, the highest of them first.
template <class Out>
void append_big(Out& out, uint64_t value, size_t bytes) {
  using Byte = typename Out::value_type;
  for (size_t i = bytes; i-- > 0;) out.push_back(static_cast<Byte>(value >> 8 * i));
}

// Writes `value` to `to` as LEB128. Returns the end.
template <std::unsigned_integral T>
std::byte* put_leb128(std::byte* to, T value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
  *to++ = static_cast<std::byte>(value);
  return to;
}

// Appends `value` to a string or Bytes as LEB128.
template <class Out>
void append_leb128(Out& out, uint64_t value) {
  using Byte = typename Out::value_type;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<Byte>(value | 0x80));
  out.push_back(static_cast<Byte>(value));
}

}  // namespace plainfs
