#include "fs/mount/reopener.h"

#include <signal.h>

#include <chrono>
#include <new>

#include "cache/mutex.h"
#include "formats/core/base/modified_time.h"
#include "fs/mount/daemon.h"

namespace plainfs {
namespace {

constexpr std::chrono::milliseconds kBetweenTries{50};

}  // namespace

Reopener::Reopener(FuseMount& mount, Filesystem& filesystem, Log& log)
    : mount_(mount), filesystem_(filesystem), log_(log), thread_([this] { run(); }) {}

Reopener::~Reopener() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

void Reopener::ask(std::function<void()> then) {
  {
    const MutexLock lock(mutex_);
    is_wanted_ = true;
    if (then) afterwards_.push_back(std::move(then));
  }
  asked_.notify_one();
}

void Reopener::ask_to_forget() {
  {
    const MutexLock lock(mutex_);
    is_to_forget_ = true;
  }
  asked_.notify_one();
}

void Reopener::run() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  MutexLock lock(mutex_);
  for (;;) {
    while (!is_wanted_ && !is_to_forget_ && !is_ending_) asked_.wait(mutex_);
    if (is_ending_) return do_afterwards();
    const bool is_wanted = is_wanted_;
    is_wanted_ = is_to_forget_ = false;
    std::vector<std::function<void()>> afterwards;
    afterwards.swap(afterwards_);
    lock.unlock();
    if (is_wanted)
      reopen();
    else
      forget();
    give_memory_back();  // of what was shown before
    for (const auto& then : afterwards) then();
    lock.lock();
  }
}

// The mutex is not held while they run.
void Reopener::do_afterwards() {
  std::vector<std::function<void()>> afterwards;
  afterwards.swap(afterwards_);
  mutex_.unlock();
  for (const auto& then : afterwards) then();
  mutex_.lock();
}

void Reopener::forget() {
  while (!invalidated()) std::this_thread::sleep_for(kBetweenTries);
  wait_for_file_time();  // what changes from now on is then seen to have changed
  log_.info("the store was reopened");
  filesystem_.requests().reopened.fetch_add(1, std::memory_order_relaxed);
}

// Nothing else would tell the kernel, which has answers of the store as it was.
bool Reopener::invalidated() {
  try {
    mount_.invalidate();
    return true;
  } catch (const std::bad_alloc&) {
    return mount_.is_over();
  }
}

void Reopener::reopen() try {
  const Work work(*this);
  const Request::Scope scope(&work);
  try {
    filesystem_.reopen();
    forget();
  } catch (const Cancelled&) {
    // the mount ends
  } catch (const std::exception& error) {
    filesystem_.requests().not_reopened.fetch_add(1, std::memory_order_relaxed);
    log_.error(fmt::format("the store cannot be reopened: {}: {}", filesystem_.store()->path, error.what()));
  }
} catch (const std::bad_alloc&) {
  return;  // there is no memory to say so
}

}  // namespace plainfs
