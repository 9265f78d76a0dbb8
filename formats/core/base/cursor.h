// A cursor over untrusted bytes: every access is checked, and running over the end is Error(damaged).
#pragma once

#include <bit>
#include <concepts>
#include <cstring>

#include "formats/core/base/bytes.h"
#include "formats/core/base/error.h"

namespace plainfs {

template <std::integral T>
T byte_swapped(T value) {
  if constexpr (sizeof(T) == 1)
    return value;
  else if constexpr (sizeof(T) == 2)
    return static_cast<T>(__builtin_bswap16(value));
  else if constexpr (sizeof(T) == 4)
    return static_cast<T>(__builtin_bswap32(value));
  else
    return static_cast<T>(__builtin_bswap64(value));
}

template <std::integral T>
T load_little(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return std::endian::native == std::endian::little ? value : byte_swapped(value);
}

template <std::integral T>
T load_big(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return std::endian::native == std::endian::big ? value : byte_swapped(value);
}

// Swaps the bytes of each T. The pointer and the count are local variables because bytes may alias anything;
// without aliasing the compiler vectorises the loop.
template <std::integral T>
void swap_all(Bytes& bytes) {
  std::byte* const at = bytes.data();
  const size_t count = bytes.size() / sizeof(T);
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, at + i * sizeof(T), sizeof value);
    value = byte_swapped(value);
    std::memcpy(at + i * sizeof(T), &value, sizeof value);
  }
}

class Cursor {
 public:
  explicit Cursor(ByteSpan bytes) : bytes_(bytes) {}

  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }
  bool at_end() const { return remaining() == 0; }
  ByteSpan rest() const { return bytes_.subspan(position_); }

  // Returns the next `size` bytes. They belong to the span that the cursor was created with.
  ByteSpan bytes(uint64_t size) {
    if (size > remaining())
      throw damaged("{2} bytes left at byte {1}, expected {0}", size, position_, remaining());
    const ByteSpan part = bytes_.subspan(position_, size);
    position_ += size;
    return part;
  }
  std::string_view text(uint64_t size) { return as_text(bytes(size)); }
  void skip(uint64_t size) { bytes(size); }
  void seek(uint64_t position) {
    if (position > bytes_.size()) throw damaged("byte {} is beyond the end at {}", position, bytes_.size());
    position_ = position;
  }

  template <std::integral T>
  T little() {
    return load_little<T>(bytes(sizeof(T)).data());
  }
  template <std::integral T>
  T big() {
    return load_big<T>(bytes(sizeof(T)).data());
  }
  uint8_t byte() { return static_cast<uint8_t>(bytes(1)[0]); }

 private:
  ByteSpan bytes_;
  size_t position_ = 0;
};

}  // namespace plainfs
