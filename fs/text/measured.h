// The lengths of a file and of its blocks, as measured by a pass over the store. With them the file is opened
// again without the pass, later in this mount (fs/tree/open_views.h) or in another one (fs/index).
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

// The recorded lengths no longer match the store: it was changed without a visible sign, or the data from
// another session are wrong. Everything that came from them is discarded.
class Outdated : public Error {
 public:
  explicit Outdated(const std::string& message) : Error(Errc::unreadable, message) {}
};

// Lengths only. Each is checked against the store when its content is generated, so no byte of output depends
// on them and other sessions may reuse them. Anything that decides bytes is kept in a survey of an array
// (Array::survey).
struct Measured {
  // Identifies the kind of file and the version of its output, such as "csv array 1". It changes when the
  // same content gets another length or other block boundaries. Empty: not usable in another session.
  std::string version;
  // The last is the file's size, above 0, unless it is a measurement in part (fs/text/block_sizes.h).
  std::vector<uint64_t> numbers;
};
using MeasuredPtr = std::shared_ptr<const Measured>;

// The published size of a file, which is set once. If another session measured it, the file is prepared when
// it is read; a different size is then an error.
class PublishedSize {
 public:
  Mutex preparing;              // held while the file is prepared or measured
  std::atomic<int> waiting{0};  // threads waiting for `preparing`; relaxed: the holder may notice them late

  // Returns the size if it is known. Takes no lock.
  std::optional<uint64_t> known() const {
    const uint64_t size = size_.load(std::memory_order_acquire);
    return size == kUnknown ? std::nullopt : std::optional(size);
  }
  // Returns the measurement of another session, or null. Requires: known().
  const MeasuredPtr& adopted() const { return adopted_; }

  // Adopts the measurement of another session if it has that version and is_of_use(*measured), and calls
  // take() before the size becomes known. Does nothing if the size is known or another thread is preparing
  // the file.
  template <class IsOfUse, class Take>
  void adopt(const MeasuredPtr& measured, std::string_view version, IsOfUse&& is_of_use, Take&& take) {
    if (!preparing.try_lock()) return;
    const MutexLock lock(preparing, std::adopt_lock);
    if (known() || !measured || measured->version != version || measured->numbers.empty()) return;
    // Do not adopt a size of 0: readers would never read the bytes that prove it wrong.
    if (measured->numbers.back() == 0 || !is_of_use(*measured)) return;
    adopted_ = measured;
    take();
    size_.store(measured->numbers.back(), std::memory_order_release);
  }

  // Sets the size. Throws Outdated, once, if another size was published before; the new size is kept.
  void publish(uint64_t size) REQUIRES(preparing) {
    const uint64_t before = size_.exchange(size, std::memory_order_acq_rel);
    if (before != kUnknown && before != size) throw Outdated("the file has changed since it was measured");
  }

 private:
  static constexpr uint64_t kUnknown = UINT64_MAX;

  std::atomic<uint64_t> size_{kUnknown};
  MeasuredPtr adopted_;  // set before another thread knows the file
};

}  // namespace plainfs
