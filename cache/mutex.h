// Mutexes with annotations, so that clang checks what they guard (-Wthread-safety; scripts/check threads).
// The standard library's mutexes have none, so the product does not use them. A guarded member is declared as
// `int count_ GUARDED_BY(mutex_)`. A function that must be called with the mutex held has REQUIRES(mutex_). A
// comment names what is guarded by a mutex of another object.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#if defined(__clang__)
#define PLAINFS_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define PLAINFS_THREAD_ATTRIBUTE(x)
#endif
#define CAPABILITY(name) PLAINFS_THREAD_ATTRIBUTE(capability(name))
#define SCOPED_CAPABILITY PLAINFS_THREAD_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(mutex) PLAINFS_THREAD_ATTRIBUTE(guarded_by(mutex))
#define REQUIRES(...) PLAINFS_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define REQUIRES_SHARED(...) PLAINFS_THREAD_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
#define ACQUIRE(...) PLAINFS_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define ACQUIRE_SHARED(...) PLAINFS_THREAD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define RELEASE(...) PLAINFS_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define RELEASE_GENERIC(...) PLAINFS_THREAD_ATTRIBUTE(release_generic_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) PLAINFS_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
// Marks a function with locking that the analysis cannot follow. A comment beside it explains why it is
// correct.
#define NO_THREAD_SAFETY_ANALYSIS PLAINFS_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace plainfs {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  bool try_lock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

// A lock that holds a mutex for its lifetime, except between unlock() and lock().
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  // Adopts a mutex that try_lock() has locked.
  MutexLock(Mutex& mutex, std::adopt_lock_t) REQUIRES(mutex) : mutex_(mutex) {}
  ~MutexLock() RELEASE() {
    if (is_held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void unlock() RELEASE() {
    mutex_.unlock();
    is_held_ = false;
  }
  void lock() ACQUIRE() {
    mutex_.lock();
    is_held_ = true;
  }

 private:
  Mutex& mutex_;
  bool is_held_ = true;
};

// A scope that releases a mutex which the caller holds, and locks it again however the scope ends.
class SCOPED_CAPABILITY MutexUnlocked {
 public:
  explicit MutexUnlocked(Mutex& mutex) RELEASE(mutex) : mutex_(mutex) { mutex_.unlock(); }
  ~MutexUnlocked() RELEASE() { mutex_.lock(); }  // clang "releases" the scope, so it expects a lock here
  MutexUnlocked(const MutexUnlocked&) = delete;
  MutexUnlocked& operator=(const MutexUnlocked&) = delete;

 private:
  Mutex& mutex_;
};

// A condition variable for a mutex that the caller holds. The mutex is released while wait() waits and is
// held again when it returns. Wake-ups may be spurious, so check the condition in a loop.
class Condition {
 public:
  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    changed_.wait(lock);
    lock.release();
  }
  // Returns false if `time` came first.
  template <class Clock, class Duration>
  bool wait_until(Mutex& mutex, const std::chrono::time_point<Clock, Duration>& time) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const bool in_time = changed_.wait_until(lock, time) == std::cv_status::no_timeout;
    lock.release();
    return in_time;
  }
  template <class Rep, class Period>
  bool wait_for(Mutex& mutex, const std::chrono::duration<Rep, Period>& time) REQUIRES(mutex) {
    return wait_until(mutex, std::chrono::steady_clock::now() + time);
  }
  void notify_one() { changed_.notify_one(); }
  void notify_all() { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

class CAPABILITY("shared mutex") SharedMutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  bool try_lock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void lock_shared() ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() PLAINFS_THREAD_ATTRIBUTE(release_shared_capability()) { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  WriterLock(SharedMutex& mutex, std::adopt_lock_t) REQUIRES(mutex) : mutex_(mutex) {}
  ~WriterLock() RELEASE() { mutex_.unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) ACQUIRE_SHARED(mutex) : mutex_(mutex) { mutex_.lock_shared(); }
  // Adopts a mutex that is already held shared.
  ReaderLock(SharedMutex& mutex, std::adopt_lock_t) REQUIRES_SHARED(mutex) : mutex_(mutex) {}
  ~ReaderLock() RELEASE_GENERIC() { mutex_.unlock_shared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace plainfs
