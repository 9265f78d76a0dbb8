// The failures of a command that continues after an error: each is printed at once, and sets the exit code.
#pragma once

#include <string>

#include "cache/mutex.h"
#include "formats/core/base/error.h"
#include "fs/command_line/exit_code.h"
#include "fs/report/progress.h"

namespace plainfs {

// Collects the failures of a command. Thread-safe.
class Failures {
 public:
  explicit Failures(Progress& progress) : progress_(progress) {}

  void add(const std::string& path, const Error& error) {
    add(fmt::format("{}: {}", path, reason(error)), exit_code_of(error.code()));
  }
  void add(const Failure& failure) { add(failure.what(), failure.code()); }
  void add(const std::string& what, ExitCode code) {
    const MutexLock lock(mutex_);
    progress_.print_line("plainfs: " + what);
    code_ = code;
  }
  // Makes code() report that another attempt may succeed.
  void try_again() {
    const MutexLock lock(mutex_);
    may_pass_ = true;
  }
  // Returns the exit code of the last failure; success without failures.
  ExitCode code() const {
    const MutexLock lock(mutex_);
    return may_pass_ ? kTryAgain : code_;
  }

 private:
  Progress& progress_;
  mutable Mutex mutex_;
  bool may_pass_ GUARDED_BY(mutex_) = false;
  ExitCode code_ GUARDED_BY(mutex_) = kSuccess;
};

}  // namespace plainfs
