#include "formats/core/base/buffer_memory.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace plainfs {

#if defined(__SANITIZE_ADDRESS__)

// Under AddressSanitizer, which finds uses after a buffer was given back.
void* take_buffer(size_t bytes) {
  return ::operator new(bytes);
}
void give_buffer(void* buffer, size_t) noexcept {
  ::operator delete(buffer);
}

#else

namespace {

// Smaller buffers cost malloc little. Larger ones are mostly blocks of files, which one thread allocates and
// another frees.
constexpr size_t kLeast = 4 << 10, kMax = 192 << 10;

// Four steps between two powers of 2, so that buffers of about the same length can replace each other.
size_t rounded(size_t bytes) {
  const size_t step = std::bit_floor(bytes) / 4;
  return (bytes + step - 1) / step * step;
}

struct Buffer {
  void* memory;
  size_t bytes;
};

// The buffers of a thread, latest first. It has no C++ destructor: registering one may end the program if
// memory is exhausted.
struct KeptBuffers {
  std::array<Buffer, 6> buffers;
  bool is_freed_at_end;
};
constinit thread_local KeptBuffers kept_here{};

extern "C" void free_kept_buffers(void*) {
  for (Buffer& buffer : kept_here.buffers) ::operator delete(buffer.memory);
  kept_here = {};
}

// Returns whether this thread will free what it keeps. A thread that gives buffers back while it ends
// registers again.
bool is_freed_at_end() {
  if (kept_here.is_freed_at_end) return true;
  static const struct Key {
    Key() : exists(pthread_key_create(&key, free_kept_buffers) == 0) {}
    pthread_key_t key{};
    bool exists;
  } key;
  return kept_here.is_freed_at_end = key.exists && pthread_setspecific(key.key, &kept_here) == 0;
}

bool is_kept(size_t bytes) {
  return bytes >= kLeast && bytes <= kMax;
}

}  // namespace

void* take_buffer(size_t bytes) {
  if (!is_kept(bytes)) return ::operator new(bytes);
  const size_t size = rounded(bytes);
  auto& buffers = kept_here.buffers;
  const auto found =
      std::find_if(buffers.begin(), buffers.end(), [&](const Buffer& b) { return b.bytes == size; });
  if (found == buffers.end()) return ::operator new(size);
  void* const memory = found->memory;
  std::move(found + 1, buffers.end(), found);
  buffers.back() = {};
  return memory;
}

void give_buffer(void* buffer, size_t bytes) noexcept {
  if (!is_kept(bytes) || !is_freed_at_end()) return ::operator delete(buffer);
  // The least recently given buffer is freed.
  auto& buffers = kept_here.buffers;
  ::operator delete(buffers.back().memory);
  std::move_backward(buffers.begin(), buffers.end() - 1, buffers.end());
  buffers.front() = {buffer, rounded(bytes)};
}

#endif

}  // namespace plainfs
