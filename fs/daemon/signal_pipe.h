// Signals as numbers that a thread reads when it has time for them.
#pragma once

#include <signal.h>

namespace plainfs {

// Of the thread that calls it, for good: they come to others.
inline void leave_signals_to_others() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

// Signals to this process, from when it is made: none ends it as it stands, each waits for a supervisor. To
// be made before the mount, which such an end would leave without an answer. One at a time in a process.
class SignalPipe {
 public:
  // Throws Failure(kNoSignalHandlers).
  SignalPipe();
  ~SignalPipe();
  SignalPipe(const SignalPipe&) = delete;
  SignalPipe& operator=(const SignalPipe&) = delete;

  // Where their numbers come, and those that are put there beside them.
  int reading() const { return reading_; }
  static void put(unsigned char number);

 private:
  int reading_ = -1;
};

}  // namespace plainfs
