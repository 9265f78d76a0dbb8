// Waiting for a mutex that is held for as long as a pass over a store takes.
#pragma once

#include <chrono>
#include <thread>

#include "cache/mutex.h"
#include "cache/request.h"

namespace plainfs {

// Throws Cancelled where the calling thread's request is cancelled before the mutex is free.
class SCOPED_CAPABILITY CancellableLock {
 public:
  explicit CancellableLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) {
    while (!mutex_.try_lock()) {
      check_cancelled();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ~CancellableLock() RELEASE() { mutex_.unlock(); }
  CancellableLock(const CancellableLock&) = delete;
  CancellableLock& operator=(const CancellableLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace plainfs
