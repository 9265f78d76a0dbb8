#include "fs/serve/site/work_budget.h"

#include <algorithm>

#include "cache/request.h"

namespace plainfs::serve {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};  // whether the client is still there

}  // namespace

WorkBudget::Share WorkBudget::take(uint64_t bytes) {
  if (bytes == 0) return Share(*this, 0);
  const size_t wanted = std::min<uint64_t>(bytes, bytes_);
  const auto end = std::chrono::steady_clock::now() + patience_;
  const MutexLock lock(mutex_);
  const uint64_t number = next_++;
  waiting_.push_back(number);
  const auto leave = [&]() REQUIRES(mutex_) {
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), number));
    changed_.notify_all();
  };
  while (waiting_.front() != number || wanted > bytes_ - taken_) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= end) {
      leave();
      throw Busy();
    }
    changed_.wait_until(mutex_, std::min(end, now + kBetweenLooks));
    try {
      check_cancelled();
    } catch (...) {
      leave();
      throw;
    }
  }
  leave();
  taken_ += wanted;
  return Share(*this, wanted);
}

void WorkBudget::give_back(size_t bytes) {
  {
    const MutexLock lock(mutex_);
    taken_ -= bytes;
  }
  changed_.notify_all();
}

}  // namespace plainfs::serve
