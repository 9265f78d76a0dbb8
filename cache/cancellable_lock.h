// Locks for waiting on work that may take as long as a pass over a store.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "cache/mutex.h"
#include "cache/request.h"

namespace plainfs {

// A lock of a mutex. The constructor throws Cancelled if the calling thread's request is cancelled before the
// mutex is free.
class SCOPED_CAPABILITY CancellableLock {
 public:
  explicit CancellableLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { wait(); }
  // waiting: counts the threads that wait.
  CancellableLock(Mutex& mutex, std::atomic<int>& waiting) ACQUIRE(mutex) : mutex_(mutex) {
    if (mutex_.try_lock()) return;
    const Counted counted(waiting);
    wait();
  }
  ~CancellableLock() RELEASE() { mutex_.unlock(); }
  CancellableLock(const CancellableLock&) = delete;
  CancellableLock& operator=(const CancellableLock&) = delete;

 private:
  struct Counted {
    explicit Counted(std::atomic<int>& waiting) : waiting_(waiting) { ++waiting_; }
    ~Counted() { --waiting_; }
    std::atomic<int>& waiting_;
  };

  void wait() NO_THREAD_SAFETY_ANALYSIS {  // the constructors declare that it is held
    constexpr std::chrono::microseconds kFirst{20}, kMax{2000};
    for (auto time = kFirst; !mutex_.try_lock(); time = std::min(2 * time, kMax)) {
      check_cancelled();
      std::this_thread::sleep_for(time);
    }
  }

  Mutex& mutex_;
};

}  // namespace plainfs
