// The signals that ask a command to end, SIGHUP, SIGINT and SIGTERM. While an Interruption lives they wait,
// and work whose Request it is ends with Cancelled. So a command removes what it has begun, and then ends by
// the signal.
#pragma once

#include <signal.h>

#include "cache/request.h"

namespace plainfs {

class Interruption : public Request {
 public:
  // Requires: no thread is running that would take a signal.
  Interruption();
  // Lets the signals through again: one that has come ends the program.
  ~Interruption() override;
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // As the destructor does.
  void let_through();

  // Whether a signal has come.
  bool cancelled() const override;

 private:
  sigset_t waiting_;  // those that are not ignored
  sigset_t before_;
};

}  // namespace plainfs
