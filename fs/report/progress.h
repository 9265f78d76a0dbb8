// The progress of a long command. On a terminal it is a bar, after half a second. Otherwise it is a line
// after half a second and every ten seconds. A command has phases, each with its own total. The last line
// reports the total time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "cache/mutex.h"

namespace plainfs {

// Writes progress to standard error. Thread-safe.
class Progress {
 public:
  enum class Unit { files, bytes };

  // is_quiet: prints nothing.
  explicit Progress(bool is_quiet = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins a phase: "measuring" files, "writing" bytes.
  void begin(std::string_view doing, Unit unit, uint64_t total);
  void add(uint64_t done);
  // Subtracts work that need not be done, so that the rate stays correct.
  void skip(uint64_t amount);
  // Prints the last line, which stays: `what`, the amount of the last phase, and the total time.
  void finish(const std::string& what);
  // Prints the last line, which stays: `what` and the total time.
  void finish_with(const std::string& what);
  // Removes the bar.
  void end();
  // Prints a line between two states of the bar, as printable() shows it.
  void print_line(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  void tick();
  void show(Clock::time_point now) REQUIRES(mutex_);
  std::string state(Clock::time_point now) const REQUIRES(mutex_);

  const bool is_quiet_;
  const bool on_terminal_;
  const Clock::time_point start_ = Clock::now();
  Mutex mutex_;
  Condition ended_;
  bool is_ended_ GUARDED_BY(mutex_) = false;
  std::string doing_ GUARDED_BY(mutex_);
  Unit unit_ GUARDED_BY(mutex_) = Unit::files;
  uint64_t total_ GUARDED_BY(mutex_) = 0;
  uint64_t done_ GUARDED_BY(mutex_) = 0;
  Clock::time_point phase_start_ GUARDED_BY(mutex_) = start_;
  std::thread ticker_;  // updates the display while nothing is added
};

// Returns a function for Context::passing that shows the progress of a pass over a large store. The display
// disappears when the pass ends.
std::function<void(uint64_t read, uint64_t size)> shown_pass();

// Returns "1.5 GB", in powers of 1000.
std::string byte_text(double bytes);
// Returns "0:07", "1:02:03".
std::string duration_text(double seconds);

}  // namespace plainfs
