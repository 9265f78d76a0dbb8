#include "fs/mount/supervisor.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "formats/core/base/modified_time.h"
#include "fs/mount/daemon.h"

namespace plainfs {
namespace {

constexpr unsigned char kStopWatching = 0;  // no signal has this number
constexpr uint64_t kBetweenTrims = 5;       // seconds

uint64_t now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

}  // namespace

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
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  bool ending = false;
  for (;;) {
    // Of the connection the end alone is told. Threads that serve see it when they want another request:
    // those that are all stuck in one would not.
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

// What requests held for a moment libc keeps: of chunks of many megabytes as much as at the worst moment.
void Supervisor::give_back_now_and_then() {
  const uint64_t requests = mount_.requests();
  if (requests == requests_trimmed_ || now() - trimmed_ < kBetweenTrims) return;
  requests_trimmed_ = requests;
  trimmed_ = now();
  give_memory_back();
}

// Again and again until serve() returns: a signal may come just before the serving thread begins to wait.
void Supervisor::end_serving() {
#ifdef __APPLE__  // macFUSE's loop waits for its threads, and no signal wakes those: the unmount does
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
