// Waiting for what another thread does for as long as a pass over a store takes.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "cache/mutex.h"
#include "cache/request.h"

namespace plainfs {

// Throws Cancelled where the calling thread's request is cancelled before the mutex is free.
class SCOPED_CAPABILITY CancellableLock {
 public:
  explicit CancellableLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { wait(); }
  // waiting: where all who wait are counted.
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

  void wait() NO_THREAD_SAFETY_ANALYSIS {  // the constructors say that it is held
    constexpr std::chrono::microseconds kFirst{20}, kMost{2000};
    for (auto time = kFirst; !mutex_.try_lock(); time = std::min(2 * time, kMost)) {
      check_cancelled();
      std::this_thread::sleep_for(time);
    }
  }

  Mutex& mutex_;
};

// As std::once_flag with std::call_once, for work that reads: waiting for it can be cancelled.
class Once {
 public:
  // Runs work where no call has run it to its end; those who call meanwhile wait. Throws what work throws,
  // which is as if it had not been called, and Cancelled.
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

  Mutex working_;                     // held while it is done
  std::atomic<bool> is_done_{false};  // atomic: what was done is used without a lock
};

}  // namespace plainfs
