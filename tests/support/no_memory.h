// An operator new that fails on request. Link no_memory.cc.
#pragma once

#include <cstddef>
#include <new>

namespace plainfs {

// While in scope, one allocation of the calling thread throws bad_alloc: the one after `others` more.
class NoMemory {
 public:
  explicit NoMemory(size_t others);
  ~NoMemory();
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;

  // Returns whether it has failed.
  bool has_failed() const;
};

// Calls work() repeatedly with each of its allocations failing in turn, until none does. It may throw
// bad_alloc. after() is called each time, with memory.
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
      // as expected
    }
    after();
    if (!has_failed) return;
  }
}

}  // namespace plainfs
