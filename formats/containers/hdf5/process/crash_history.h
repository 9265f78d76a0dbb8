// Recent crashes of libhdf5's process. A file that ends it repeatedly is refused for a while, instead of
// starting a new process for each read of it. Older ends are dropped.
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
  // Limits within kRemembered, per question and per file.
  static constexpr size_t kMaxOfQuestion = 2;
  static constexpr size_t kMaxOfFile = 16;

  // Records that a question about a file ended the process. weight: how many ends it counts as.
  void note(uint64_t file, uint64_t question, Time now, size_t weight = 1);
  // Returns whether the question is refused now. It is if it ended the process twice and was last asked less
  // than kRefused ago, or if the file has ended the process too often.
  bool is_refused(uint64_t file, uint64_t question, Time now);
  // Drops the ends of a question that was answered.
  void forget(uint64_t file, uint64_t question);

 private:
  void drop_old(Time now);

  std::map<std::pair<uint64_t, uint64_t>, std::vector<Time>> questions_;
  std::map<uint64_t, std::vector<Time>> files_;
};

}  // namespace plainfs::hdf5
