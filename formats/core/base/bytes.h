// Byte buffers that are not cleared before they are written: resize() leaves new bytes uninitialised, so a
// decoder touches its output once. All decoded or formatted data are passed as Bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/base/buffer_memory.h"

namespace plainfs {

template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  T* allocate(size_t count) { return static_cast<T*>(take_buffer(count * sizeof(T))); }
  void deallocate(T* buffer, size_t count) noexcept { give_buffer(buffer, count * sizeof(T)); }
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... A>
  void construct(U* at, A&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<A>(values)...);
  }
};

using Bytes = std::vector<std::byte, UninitializedAllocator<std::byte>>;
using ByteSpan = std::span<const std::byte>;

inline ByteSpan as_byte_span(std::string_view text) {
  return std::as_bytes(std::span(text));
}
inline std::string_view as_text(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Appends `bytes` to `out` as lower-case hex.
inline void append_hex(ByteSpan bytes, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::byte byte : bytes) {
    out += kDigits[static_cast<unsigned>(byte) >> 4];
    out += kDigits[static_cast<unsigned>(byte) & 15];
  }
}

// Returns the FNV-1a hash of `text`, to distinguish names. It does not protect against names that are chosen
// to collide.
constexpr uint64_t fnv1a(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace plainfs
