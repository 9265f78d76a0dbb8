#include "fs/commands/interruption.h"

namespace plainfs {
namespace {

constexpr int kEnding[] = {SIGHUP, SIGINT, SIGTERM};

// Returns whether the signal is ignored, like SIGHUP under nohup. The kernel would queue it anyway while it
// is blocked.
bool is_ignored_signal(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interruption::Interruption() {
  sigemptyset(&waiting_);
  for (const int signal : kEnding)
    if (!is_ignored_signal(signal)) sigaddset(&waiting_, signal);
  ::pthread_sigmask(SIG_BLOCK, &waiting_, &before_);
}

Interruption::~Interruption() {
  let_through();
}

void Interruption::let_through() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool Interruption::cancelled() const {
  sigset_t come;
  if (::sigpending(&come) != 0) return false;
  for (const int signal : kEnding)
    if (sigismember(&waiting_, signal) == 1 && sigismember(&come, signal) == 1) return true;
  return false;
}

}  // namespace plainfs
