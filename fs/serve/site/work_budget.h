// A budget of memory for the work of all clients together: sorting, filtering, colouring and pictures. Each
// may need a few hundred MB for a large table, and there may be more than a hundred clients.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "cache/mutex.h"

namespace plainfs::serve {

// An exception for a client that has to try again later. It is not an Error: it describes nothing about the
// data, and a page must not show it as a part that cannot be read.
struct Busy {
  int seconds = 5;  // until the client may try again
};

// The bytes that a picture of the largest size takes at most, with the reply that holds it.
inline constexpr uint64_t kMaxPictureWork = uint64_t{112} << 20;

// A budget in bytes. Callers wait for their share, the first first. Thread-safe.
class WorkBudget {
 public:
  static constexpr size_t kBytes = size_t{224} << 20;
  static constexpr std::chrono::seconds kPatience{20};
  static constexpr uint64_t kMaxFreeValues = 100'000;

  explicit WorkBudget(size_t bytes = kBytes, std::chrono::milliseconds patience = kPatience)
      : bytes_(bytes), patience_(patience) {}

  // A share of the budget. It returns to the budget when it is destroyed.
  class Share {
   public:
    ~Share() { budget_.give_back(bytes_); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Keeps at most that many bytes of it.
    void reduce(uint64_t bytes) {
      const size_t kept = std::min<uint64_t>(bytes, bytes_);
      budget_.give_back(std::exchange(bytes_, kept) - kept);
    }

   private:
    friend class WorkBudget;
    Share(WorkBudget& budget, size_t bytes) : budget_(budget), bytes_(bytes) {}

    WorkBudget& budget_;
    size_t bytes_;
  };

  // Waits for a share of `bytes`, unless that is 0. Work that takes more than the budget has it alone. Throws
  // Busy if that takes too long, and Cancelled. The holder of a share must not wait for another.
  [[nodiscard]] Share take(uint64_t bytes);
  // Waits for a share for values of that many bytes each. A few values take none.
  [[nodiscard]] Share take_for(uint64_t values, uint64_t bytes_each) {
    return take(values > kMaxFreeValues ? values * bytes_each : 0);
  }

 private:
  void give_back(size_t bytes);

  const size_t bytes_;
  const std::chrono::milliseconds patience_;
  Mutex mutex_;
  Condition changed_;
  size_t taken_ GUARDED_BY(mutex_) = 0;
  uint64_t next_ GUARDED_BY(mutex_) = 0;
  std::deque<uint64_t> waiting_ GUARDED_BY(mutex_);  // the numbers of those that wait, in their order
};

}  // namespace plainfs::serve
