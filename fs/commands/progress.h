// How far a long piece of work is: a bar with rate and time left on a terminal, a plain line now and then
// elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace plainfs {

// Writes to standard error. Thread-safe.
class Progress {
 public:
  explicit Progress(uint64_t total_bytes);

  void add(uint64_t bytes);
  // Leaves out what need not be done, so that the rate stays true.
  void skip(uint64_t bytes);
  // A last line that stays.
  void finish(const std::string& what);
  // A line of its own, between two states of the bar.
  void say(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point now);
  double rate(Clock::time_point now) const;  // bytes a second

  const bool on_terminal_;
  std::mutex mutex_;  // guards what follows
  uint64_t total_;
  uint64_t done_ = 0;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

// "1.5 GB": powers of 1000.
std::string byte_text(double bytes);

}  // namespace plainfs
