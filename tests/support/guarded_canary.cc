// Reads data guarded by a mutex: correctly, or incorrectly with WITHOUT_LOCK or WITHOUT_READER, which clang
// must refuse. scripts/check alone requires this before it trusts clang's thread-safety analysis.
#include "cache/mutex.h"

namespace plainfs {

class Counter {
 public:
  int count() {
#ifndef WITHOUT_LOCK
    const MutexLock lock(mutex_);
#endif
    return count_;
  }
  int count_shared() {
#ifndef WITHOUT_READER
    const ReaderLock lock(shared_);
#endif
    return shared_count_;
  }

 private:
  Mutex mutex_;
  int count_ GUARDED_BY(mutex_) = 0;
  SharedMutex shared_;
  int shared_count_ GUARDED_BY(shared_) = 0;
};

int canary() {
  Counter counter;
  return counter.count() + counter.count_shared();
}

}  // namespace plainfs
