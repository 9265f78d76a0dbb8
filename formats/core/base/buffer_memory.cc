#include "formats/core/base/buffer_memory.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace plainfs {

#if defined(__SANITIZE_ADDRESS__)

// Which finds what is used after it was given back.
void* take_buffer(size_t bytes) {
  return ::operator new(bytes);
}
void give_buffer(void* buffer, size_t) noexcept {
  ::operator delete(buffer);
}

#else

namespace {

// Smaller ones cost malloc little; larger ones are blocks of files mostly, which one thread makes and another
// gives back.
constexpr size_t kLeast = 4 << 10, kMost = 192 << 10;

// Four steps between two powers of 2, so that buffers of about one length are one another's.
size_t rounded(size_t bytes) {
  const size_t step = std::bit_floor(bytes) / 4;
  return (bytes + step - 1) / step * step;
}

struct Buffer {
  void* memory;
  size_t bytes;
};

// Of a thread, the latest first. Without a destructor of C++, whose registration may end the program where
// there is no memory.
struct KeptBuffers {
  std::array<Buffer, 6> buffers;
  bool is_freed_at_end;
};
constinit thread_local KeptBuffers kept_here{};

extern "C" void free_kept_buffers(void*) {
  for (Buffer& buffer : kept_here.buffers) ::operator delete(buffer.memory);
  kept_here = {};
}

// Whether this thread will free what it keeps. One that gives buffers back while it ends is told so again.
bool is_freed_at_end() {
  if (kept_here.is_freed_at_end) return true;
  static const struct Key {
    Key() : is_there(pthread_key_create(&key, free_kept_buffers) == 0) {}
    pthread_key_t key{};
    bool is_there;
  } key;
  return kept_here.is_freed_at_end = key.is_there && pthread_setspecific(key.key, &kept_here) == 0;
}

bool is_kept(size_t bytes) {
  return bytes >= kLeast && bytes <= kMost;
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
  // The one that was not wanted for longest goes.
  auto& buffers = kept_here.buffers;
  ::operator delete(buffers.back().memory);
  std::move_backward(buffers.begin(), buffers.end() - 1, buffers.end());
  buffers.front() = {buffer, rounded(bytes)};
}

#endif

}  // namespace plainfs
