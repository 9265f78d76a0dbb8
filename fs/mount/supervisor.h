// Looks after a mount while it serves: ends it on SIGINT and SIGTERM with files open or not, opens the log
// anew on SIGHUP, or ends it where there is none, shows the store anew on SIGUSR1, gives free memory back to
// the system, and unmounts when it was not used for long enough.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "cache/mutex.h"
#include "cache/request.h"
#include "fs/daemon/signal_pipe.h"
#include "fs/log.h"
#include "fs/mount/fuse.h"

namespace plainfs {

// Opens the store anew on a thread of its own, so that neither signals nor requests wait for it. However
// often it is asked while it does so, it does so once more.
class Reopener {
 public:
  Reopener(FuseMount& mount, Filesystem& filesystem, Log& log);
  // What is under way is cancelled.
  ~Reopener();
  Reopener(const Reopener&) = delete;
  Reopener& operator=(const Reopener&) = delete;

  // From any thread; returns at once. then: what to do once the store was opened anew or could not be, or
  // when all is over; it is called on the thread of the reopener.
  void ask(std::function<void()> then = {});
  // The same where the store was opened anew already: the kernel is made to forget the old one.
  void ask_to_forget();

 private:
  struct Work : Request {
    explicit Work(const Reopener& of) : reopener(of) {}
    bool cancelled() const override { return reopener.is_ending_ || reopener.mount_.is_over(); }
    const Reopener& reopener;
  };
  void run();
  void reopen();
  void forget();
  bool invalidated();
  void do_afterwards() REQUIRES(mutex_);

  FuseMount& mount_;
  Filesystem& filesystem_;
  Log& log_;
  Mutex mutex_;
  Condition asked_;
  bool is_wanted_ GUARDED_BY(mutex_) = false;
  bool is_to_forget_ GUARDED_BY(mutex_) = false;
  std::vector<std::function<void()>> afterwards_ GUARDED_BY(mutex_);
  std::atomic<bool> is_ending_{false};  // set with the mutex held, asked without it
  std::thread thread_;
};

// One at a time in a process: signals have one owner. Made by the thread that will call FuseMount::serve().
class Supervisor {
 public:
  // idle_seconds: 0 = never. open_log: null = there is none. All outlive it. Throws std::system_error where
  // there is no thread.
  Supervisor(const SignalPipe& signals, FuseMount& mount, Filesystem& filesystem, Log& log,
             uint64_t idle_seconds, std::function<void()> open_log);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

 private:
  void watch();
  void end_serving();
  bool is_idle();
  void give_back_now_and_then();

  FuseMount& mount_;
  Log& log_;
  const uint64_t idle_seconds_;
  const std::function<void()> open_log_;
  uint64_t requests_seen_ = 0;
  uint64_t idle_since_ = 0;  // seconds of the steady clock
  uint64_t requests_trimmed_ = 0;
  uint64_t trimmed_ = 0;    // seconds of the steady clock
  const int signals_;       // of the pipe
  const pthread_t server_;  // the thread that serves
  Reopener reopener_;
  std::thread watcher_;
};

}  // namespace plainfs
