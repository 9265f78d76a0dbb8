#include "fs/mount/supervisor.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <new>

#include "formats/core/base/modified_time.h"
#include "fs/daemon/daemon.h"

namespace plainfs {
namespace {

constexpr unsigned char kStopWatching = 0;  // no signal has this number
constexpr uint64_t kBetweenTrims = 5;       // seconds
constexpr std::chrono::milliseconds kBetweenTries{50};

uint64_t now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

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
  leave_signals_to_others();
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
    give_memory_back();  // of the previous opening
    for (const auto& then : afterwards) then();
    lock.lock();
  }
}

// Runs the functions without holding the mutex.
void Reopener::do_afterwards() {
  std::vector<std::function<void()>> afterwards;
  afterwards.swap(afterwards_);
  mutex_.unlock();
  for (const auto& then : afterwards) then();
  mutex_.lock();
}

void Reopener::forget() {
  while (!invalidated()) std::this_thread::sleep_for(kBetweenTries);
  wait_for_file_time();  // later changes then have a later time
  log_.info("the store was reopened");
  filesystem_.requests().reopened.fetch_add(1, std::memory_order_relaxed);
}

// The kernel has cached answers for the old store, and only this makes it forget them.
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
    log_.error(error.what());
    while (filesystem_.is_lost() && !invalidated()) std::this_thread::sleep_for(kBetweenTries);
  }
} catch (const std::bad_alloc&) {
  return;  // there is no memory for a message
}

Supervisor::Supervisor(const SignalPipe& signals, FuseMount& mount, Filesystem& filesystem, Log& log,
                       uint64_t idle_seconds, std::function<void()> open_log)
    : mount_(mount),
      log_(log),
      idle_seconds_(idle_seconds),
      open_log_(std::move(open_log)),
      idle_since_(now()),
      trimmed_(now()),
      signals_(signals.reading()),
      server_(::pthread_self()),
      reopener_(mount, filesystem, log) {
  mount_.when_changed([this](std::function<void()> then) { reopener_.ask(std::move(then)); },
                      [this] { reopener_.ask_to_forget(); });
  filesystem.set_when_corrected([this] { reopener_.ask_to_forget(); });
  watcher_ = std::thread([this] { watch(); });
}

Supervisor::~Supervisor() {
  SignalPipe::put(kStopWatching);
  watcher_.join();
}

void Supervisor::watch() {
  leave_signals_to_others();
  bool ending = false;
  for (;;) {
    // The connection only reports its end. Serving threads notice it when they want another request, which
    // they do not if all of them are stuck in one.
    pollfd waiting[] = {{signals_, POLLIN, 0}, {ending ? -1 : mount_.connection(), 0, 0}};
    const int wait_ms = ending ? 50 : 1000 * static_cast<int>(idle_seconds_ != 0 ? 1 : kBetweenTrims);
    const bool is_quiet = ::poll(waiting, 2, wait_ms) <= 0;
    if (waiting[1].revents != 0) ending = true;
    if (is_quiet || waiting[0].revents == 0) {
      if (!ending && idle_seconds_ != 0 && is_idle() && mount_.unmount_if_unused())
        log_.info("unmounted: idle");
    } else {
      unsigned char number = kStopWatching;
      if (::read(signals_, &number, 1) != 1) continue;
      if (number == kStopWatching) return;
      if (number == SIGUSR1)
        reopener_.ask();
      else if (number == SIGHUP && open_log_)
        open_log_();
      else
        ending = true;
    }
    if (ending) end_serving();
    give_back_now_and_then();
  }
}

// Returns the memory that requests used briefly and that libc keeps: for chunks of many megabytes, as much as
// at the peak.
void Supervisor::give_back_now_and_then() {
  const uint64_t requests = mount_.requests();
  if (requests == requests_trimmed_ || now() - trimmed_ < kBetweenTrims) return;
  requests_trimmed_ = requests;
  trimmed_ = now();
  give_memory_back();
}

// Repeats until serve() returns, as a signal may arrive just before the serving thread starts to wait.
void Supervisor::end_serving() {
#ifdef __APPLE__  // macFUSE's loop waits for its threads, which only the unmount wakes
  mount_.unmount();
#endif
  mount_.stop();
  ::pthread_kill(server_, SIGUSR2);
}

bool Supervisor::is_idle() {
  const uint64_t requests = mount_.requests();
  if (requests != requests_seen_ || mount_.open_files() > 0) {
    requests_seen_ = requests;
    idle_since_ = now();
  }
  return now() - idle_since_ >= idle_seconds_;
}

}  // namespace plainfs
