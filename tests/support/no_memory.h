// operator new that fails when it is told to. Link no_memory.cc.
#pragma once

#include <cstddef>
#include <new>

namespace plainfs {

// In its scope one allocation of the calling thread throws bad_alloc: that after so many others.
class NoMemory {
 public:
  explicit NoMemory(size_t others);
  ~NoMemory();
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;

  // Whether it has.
  bool has_failed() const;
};

// Calls work() with each of its allocations failing in turn, until none does. It may let bad_alloc out;
// after() is called each time, with memory.
template <class Work, class After>
void with_each_allocation_failing(Work&& work, After&& after) {
  for (size_t others = 0;; ++others) {
    bool has_failed = false;
    try {
      const NoMemory scope(others);
      try {
        work();
      } catch (...) {
        has_failed = scope.has_failed();
        throw;
      }
      has_failed = scope.has_failed();
    } catch (const std::bad_alloc&) {
      // as was to be expected
    }
    after();
    if (!has_failed) return;
  }
}

}  // namespace plainfs
