// How far a long command is: a bar on a terminal from its first half second on, elsewhere a plain line then
// and every ten seconds. A command goes through phases, each with its own total; the last line counts the
// time of all of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "cache/mutex.h"

namespace plainfs {

// Writes to standard error. Thread-safe.
class Progress {
 public:
  enum class Unit { files, bytes };

  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins a phase: "measuring" so many files, "writing" so many bytes.
  void begin(std::string_view doing, Unit unit, uint64_t total);
  void add(uint64_t done);
  // Leaves out what need not be done, so that the rate stays true.
  void skip(uint64_t amount);
  // The last line, which stays: what, and how much of the last phase in how much time altogether.
  void finish(const std::string& what);
  // A line of its own, between two states of the bar, as printable() shows it.
  void say(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  void tick();
  void show(Clock::time_point now) REQUIRES(mutex_);
  std::string state(Clock::time_point now) const REQUIRES(mutex_);

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
  std::thread ticker_;  // shows the state where nothing is added for long, too
};

// Shows how far a pass over a large store is, for Context::passing: a state of its own, gone when the pass is
// over.
std::function<void(uint64_t read, uint64_t size)> shown_pass();

// "1.5 GB": powers of 1000.
std::string byte_text(double bytes);
// "1 file", "2 files".
std::string count_text(uint64_t count, std::string_view what);
// "0:07", "1:02:03".
std::string duration_text(double seconds);

}  // namespace plainfs
