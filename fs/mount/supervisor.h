// Looks after a mount while it serves: ends it on SIGINT and SIGTERM with files open or not, opens the log
// anew on SIGHUP, or ends it where there is none, shows the store anew on SIGUSR1, gives free memory back to
// the system, and unmounts when it was not used for long enough.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

#include "fs/log.h"
#include "fs/mount/fuse.h"
#include "fs/mount/reopener.h"
#include "fs/mount/signal_pipe.h"

namespace plainfs {

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
