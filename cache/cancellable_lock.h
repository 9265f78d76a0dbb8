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
    constexpr std::chrono::microseconds kFirst{20}, kMost{2000};
    for (auto time = kFirst; !mutex_.try_lock(); time = std::min(2 * time, kMost)) {
      check_cancelled();
      std::this_thread::sleep_for(time);
    }
  }

  Mutex& mutex_;
};

// A replacement for std::once_flag with std::call_once, for work that reads. Waiting for it can be cancelled.
class Once {
 public:
  // Runs work unless an earlier call completed it. Concurrent callers wait. Throws what work throws, and
  // Cancelled; after an exception the next call runs work again.
  template <class Work>
  void call(Work&& work) {
    if (is_done()) return;
    const CancellableLock lock(working_);
    if (is_done()) return;
    work();
    is_done_.store(true, std::memory_order_release);
  }

 private:
  bool is_done() const { return is_done_.load(std::memory_order_acquire); }

  Mutex working_;                     // held while the work runs
  std::atomic<bool> is_done_{false};  // atomic: the result is used without a lock
};

}  // namespace plainfs
