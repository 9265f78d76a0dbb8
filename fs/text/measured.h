// How long a file and the blocks that it is made of are, as a pass over the store has measured it: with that
// the file is opened again without the pass, later in this mount (fs/tree/open_views.h) or in another one
// (fs/index).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/error.h"

namespace plainfs {

// What was measured before is not what is there now: the store was changed in a way that could not be seen,
// or what another session has left is wrong. What came from there is given up.
class Outdated : public Error {
 public:
  explicit Outdated(const std::string& message) : Error(Errc::unreadable, message) {}
};

// Lengths alone, each of which is compared with the store when what it is of is made: no byte comes out of
// them, and so another session may have them. What decides bytes is a survey of an array (Array::survey).
struct Measured {
  // Of what, and the version of what it comes to: "csv array 1". A change of how long the same content is, or
  // of where its blocks begin, changes it. Empty: of no use in another session.
  std::string version;
  std::vector<uint64_t> numbers;  // the last is the file's size, over 0
};
using MeasuredPtr = std::shared_ptr<const Measured>;

// The size of a file as it is told: once. Where it was measured by another session, the file is prepared when
// it is read, and is an error if it comes to something else.
class ToldSize {
 public:
  Mutex preparing;              // held by the one who prepares the file or measures it
  std::atomic<int> waiting{0};  // for that; relaxed: who sees it late goes on so long

  // Read without the lock.
  std::optional<uint64_t> known() const {
    const uint64_t size = size_.load(std::memory_order_acquire);
    return size == kUnknown ? std::nullopt : std::optional(size);
  }
  // What another session has measured, or null. Not to be called before known().
  const MeasuredPtr& adopted() const { return adopted_; }

  // Takes what another session has measured of that version, where is_of_use(*measured), and calls take()
  // before the size is known. Others may have the same file open: what they have found out, or are about to,
  // stays.
  template <class IsOfUse, class Take>
  void adopt(const MeasuredPtr& measured, std::string_view version, IsOfUse&& is_of_use, Take&& take) {
    if (!preparing.try_lock()) return;
    const MutexLock lock(preparing, std::adopt_lock);
    if (known() || !measured || measured->version != version || measured->numbers.empty()) return;
    // Of a file that is said to be empty no reader reads what would show that it is not.
    if (measured->numbers.back() == 0 || !is_of_use(*measured)) return;
    adopted_ = measured;
    take();
    size_.store(measured->numbers.back(), std::memory_order_release);
  }

  // Throws Outdated, this once, where another size was told; from then on it is this one.
  void tell(uint64_t size) REQUIRES(preparing) {
    const uint64_t before = size_.exchange(size, std::memory_order_acq_rel);
    if (before != kUnknown && before != size) throw Outdated("the file has changed since it was measured");
  }

 private:
  static constexpr uint64_t kUnknown = UINT64_MAX;

  std::atomic<uint64_t> size_{kUnknown};
  MeasuredPtr adopted_;  // set before another thread knows the file
};

}  // namespace plainfs
