// The supervisor of a mount while it serves. It ends the mount on SIGINT and SIGTERM even if files are open.
// On SIGHUP it opens the log file again, or ends the mount if there is no log file. On SIGUSR1 it reopens the
// store. It returns free memory to the system, and unmounts after the idle time.
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

// Reopens the store on its own thread, so that neither signals nor requests wait for it. Requests that arrive
// while it does so cause one more reopening.
class Reopener {
 public:
  Reopener(FuseMount& mount, Filesystem& filesystem, Log& log);
  // Cancels the reopening in progress.
  ~Reopener();
  Reopener(const Reopener&) = delete;
  Reopener& operator=(const Reopener&) = delete;

  // Requests a reopening and returns at once. Callable from any thread. then: called on the thread of the
  // reopener when the store was reopened, could not be, or everything ends.
  void ask(std::function<void()> then = {});
  // Makes the kernel forget the old store, if the store was already reopened.
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
  std::atomic<bool> is_ending_{false};  // set with the mutex held, read without it
  std::thread thread_;
};

// The thread that supervises a mount. One at a time per process, as it handles the signals. Must be created
// by the thread that will call FuseMount::serve().
class Supervisor {
 public:
  // idle_seconds: 0 = never. open_log: null = no log file. All arguments must outlive it. Throws
  // std::system_error if no thread can be started.
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
  const int signals_;       // read end of the pipe
  const pthread_t server_;  // the thread that serves
  Reopener reopener_;
  std::thread watcher_;
};

}  // namespace plainfs
