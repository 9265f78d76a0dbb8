// What ended libhdf5's process lately, so that a file which ends it again and again is refused for a while
// instead of a new process being started for each read of it. Nothing is remembered for longer than that.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace plainfs::hdf5 {

// Not thread-safe.
class CrashHistory {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kRemembered{60};
  static constexpr std::chrono::seconds kRefused{10};
  // Of one question, and of a file in all, within kRemembered.
  static constexpr size_t kMostOfQuestion = 2;
  static constexpr size_t kMostOfFile = 16;

  // That the process ended over a question about a file. weight: how many that counts as.
  void note(uint64_t file, uint64_t question, Time now, size_t weight = 1);
  // Whether the question is not to be put now: it ended the process twice and was last put less than kRefused
  // ago, or the file has ended it too often.
  bool is_refused(uint64_t file, uint64_t question, Time now);
  // That a question was answered.
  void forget(uint64_t file, uint64_t question);

 private:
  void drop_old(Time now);

  std::map<std::pair<uint64_t, uint64_t>, std::vector<Time>> questions_;
  std::map<uint64_t, std::vector<Time>> files_;
};

}  // namespace plainfs::hdf5
