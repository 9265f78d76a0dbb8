// The interruption of a command by a signal, upon which it ends in order.
#pragma once

#include <csignal>

#include "cache/request.h"

namespace plainfs {

// The signals that ask a command to end: SIGHUP, SIGINT and SIGTERM. While an Interruption exists they are
// held back, and work that has it as its Request ends with Cancelled. The command then tidies up and ends by
// the signal.
class Interruption : public Request {
 public:
  // Requires: no thread that could receive a signal is running.
  Interruption();
  // Releases the signals: one that was held back ends the program.
  ~Interruption() override;
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Releases the signals before destruction.
  void let_through();

  // Returns whether a signal has arrived.
  bool cancelled() const override;

 private:
  sigset_t waiting_;  // the signals that are not ignored
  sigset_t before_;
};

}  // namespace plainfs
