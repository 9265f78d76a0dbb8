#include "fs/mount/allocator.h"

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <execinfo.h>
#include <malloc.h>
#endif

namespace plainfs {

void tune_allocator() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  // An error that leaves std::call_once is led through libc, which loads what it wants for that the first
  // time, and ends the program where there is no memory then.
  void* frame = nullptr;
  ::backtrace(&frame, 1);
#endif
}

void give_memory_back() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace plainfs
