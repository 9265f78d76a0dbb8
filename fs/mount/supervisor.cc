#include "fs/mount/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "formats/core/base/modified_time.h"
#include "fs/exit_code.h"
#include "fs/mount/daemon.h"

namespace plainfs {
namespace {

constexpr unsigned char kStopWatching = 0;  // no signal has this number
constexpr uint64_t kBetweenTrims = 5;       // seconds

// Where the handlers write. Signal handlers can be given nothing else.
volatile std::sig_atomic_t signal_pipe = -1;

void pass_on(int number) {
  const int saved = errno;
  const auto word = static_cast<unsigned char>(number);
  const ssize_t written = ::write(signal_pipe, &word, 1);
  static_cast<void>(written);  // a full pipe holds enough signals
  errno = saved;
}

void interrupt(int) {}  // makes a blocking call of the serving thread return

void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  if (::sigaction(number, &action, nullptr) != 0) {
    throw Failure(kNoSignalHandlers, fmt::format("signal {}: {}", number, std::strerror(errno)));
  }
}

uint64_t now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

}  // namespace

SignalPipe::SignalPipe() {
  int ends[2];
  if (::pipe(ends) != 0) throw Failure(kNoSignalHandlers, fmt::format("pipe: {}", std::strerror(errno)));
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  reading_ = ends[0];
  signal_pipe = ends[1];
  // Mounting is not cut short by one.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) handle(number, pass_on, SA_RESTART);
  handle(SIGUSR2, interrupt, 0);
  handle(SIGPIPE, SIG_IGN, 0);
}

SignalPipe::~SignalPipe() {
  // The handlers stay, so that a signal on the way out does not cut the unmount short.
  const int writing = signal_pipe;
  signal_pipe = -1;
  ::close(writing);
  ::close(reading_);
}

Supervisor::Supervisor(const SignalPipe& signals, FuseMount& mount, Filesystem& filesystem, Log& log,
                       uint64_t idle_seconds)
    : mount_(mount),
      log_(log),
      idle_seconds_(idle_seconds),
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
  pass_on(kStopWatching);
  watcher_.join();
}

void Supervisor::watch() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  bool ending = false;
  for (;;) {
    pollfd waiting{signals_, POLLIN, 0};
    const int wait_ms = ending ? 50 : 1000 * static_cast<int>(idle_seconds_ != 0 ? 1 : kBetweenTrims);
    if (::poll(&waiting, 1, wait_ms) <= 0) {
      if (!ending && idle_seconds_ != 0 && is_idle() && mount_.unmount_if_unused())
        log_.info("unmounted: idle");
    } else {
      unsigned char number = kStopWatching;
      if (::read(signals_, &number, 1) != 1) continue;
      if (number == kStopWatching) return;
      if (number == SIGUSR1)
        reopener_.ask();
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
