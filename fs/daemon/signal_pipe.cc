#include "fs/daemon/signal_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "fs/command_line/exit_code.h"

namespace plainfs {
namespace {

// The write end for the handlers. Signal handlers cannot be given anything else.
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

}  // namespace

SignalPipe::SignalPipe() {
  int ends[2];
  if (::pipe(ends) != 0) throw Failure(kNoSignalHandlers, fmt::format("pipe: {}", std::strerror(errno)));
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  reading_ = ends[0];
  signal_pipe = ends[1];
  // A signal does not interrupt mounting.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) handle(number, pass_on, SA_RESTART);
  handle(SIGUSR2, interrupt, 0);
  handle(SIGPIPE, SIG_IGN, 0);
}

SignalPipe::~SignalPipe() {
  // The handlers stay, so that a late signal does not interrupt the unmount.
  const int writing = signal_pipe;
  signal_pipe = -1;
  ::close(writing);
  ::close(reading_);
}

void SignalPipe::put(unsigned char number) {
  pass_on(number);
}

}  // namespace plainfs
