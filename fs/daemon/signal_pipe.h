// Signals as numbers that a thread reads when it is ready for them.
#pragma once

#include <signal.h>

namespace plainfs {

// Blocks all signals for the calling thread permanently. Other threads receive them.
inline void leave_signals_to_others() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

// The signals to this process, from its creation on: none ends the process directly, each waits for a
// supervisor. Create it before the mount, which would otherwise be left without an answer. One at a time per
// process.
class SignalPipe {
 public:
  // Throws Failure(kNoSignalHandlers).
  SignalPipe();
  ~SignalPipe();
  SignalPipe(const SignalPipe&) = delete;
  SignalPipe& operator=(const SignalPipe&) = delete;

  // Returns the end from which the signals' numbers are read, and other numbers that were put there.
  int reading() const { return reading_; }
  static void put(unsigned char number);

 private:
  int reading_ = -1;
};

}  // namespace plainfs
