// Reads what a mutex guards: rightly, and with WITHOUT_LOCK or WITHOUT_READER wrongly, which clang has to
// refuse. scripts/check alone believes nothing else that clang says of locks before it has.
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
