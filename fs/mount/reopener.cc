#include "fs/mount/reopener.h"

#include <signal.h>

#include "formats/base/file_time.h"

namespace plainfs {

Reopener::Reopener(FuseMount& mount, Filesystem& filesystem, Log& log)
    : mount_(mount), filesystem_(filesystem), log_(log), thread_([this] { run(); }) {}

Reopener::~Reopener() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

void Reopener::ask() {
  {
    const std::lock_guard lock(mutex_);
    is_wanted_ = true;
  }
  asked_.notify_one();
}

void Reopener::run() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  const Work work(*this);
  const Request::Scope scope(&work);
  std::unique_lock lock(mutex_);
  for (;;) {
    asked_.wait(lock, [this] { return is_wanted_ || is_ending_; });
    if (is_ending_) return;
    is_wanted_ = false;
    lock.unlock();
    reopen();
    lock.lock();
  }
}

void Reopener::reopen() {
  try {
    filesystem_.reopen();
    mount_.invalidate();
    wait_for_file_time();  // what changes from now on is then seen to have changed
    log_.info("the store was reopened");
  } catch (const Cancelled&) {
    // the mount ends
  } catch (const std::exception& error) {
    log_.error(fmt::format("the store cannot be reopened: {}", error.what()));
  }
}

}  // namespace plainfs
