#include "fs/mount/allocator.h"

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace plainfs {

#ifdef __GLIBC__
namespace {

constexpr size_t kLargePage = size_t{2} << 20;
// How much of the heap, from its beginning. Less than what is trimmed.
constexpr size_t kInLargePages = size_t{48} << 20;

// The heap grows to there at once, which costs nothing until it is used.
void use_large_pages() {
  mallopt(M_TOP_PAD, kInLargePages);
  void* const grown = std::malloc(size_t{1} << 20);
  const auto begin = reinterpret_cast<uintptr_t>(grown), end = reinterpret_cast<uintptr_t>(sbrk(0));
  std::free(grown);
  mallopt(M_TOP_PAD, 128 << 10);  // as it was
  const uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const uintptr_t last = end / kLargePage * kLargePage;
  // Where the kernel has none, nothing is lost.
  if (grown && first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace
#endif

void tune_allocator() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  use_large_pages();
#endif
}

}  // namespace plainfs
