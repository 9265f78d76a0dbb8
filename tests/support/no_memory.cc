#include "tests/support/no_memory.h"

#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

thread_local int64_t left = -1;  // successful allocations left; below 0: unlimited

void* allocated(size_t size) {
  if (left >= 0 && left-- == 0) throw std::bad_alloc();
  if (void* const found = std::malloc(size == 0 ? 1 : size)) return found;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t size) {
  return allocated(size);
}
void* operator new[](size_t size) {
  return allocated(size);
}
// Memory for the operator delete below.
void* operator new(size_t size, const std::nothrow_t&) noexcept try {
  return allocated(size);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, size_t) noexcept {
  std::free(memory);
}

namespace plainfs {

NoMemory::NoMemory(size_t others) {
  left = static_cast<int64_t>(others);
}

NoMemory::~NoMemory() {
  left = -1;
}

bool NoMemory::has_failed() const {
  return left < 0;
}

}  // namespace plainfs
