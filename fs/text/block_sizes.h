// The sizes of the blocks of a text while a pass measures them. What a pass has measured so far is a
// measurement "in part": it is kept like a whole one, later passes measure only the rest, and those of
// several passes, also on several machines, are joined.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fs/text/measured.h"

namespace plainfs {

// The sizes of a fixed number of blocks, each set once. Thread-safe.
class BlockSizes {
 public:
  explicit BlockSizes(uint64_t count)
      : count_(count), sizes_(std::make_unique<std::atomic<uint64_t>[]>(count)) {}

  uint64_t count() const { return count_; }
  // Returns the size of a block; nullopt until it is set.
  std::optional<uint64_t> at(uint64_t block) const {
    const uint64_t kept = sizes_[block].load(std::memory_order_relaxed);
    return kept == 0 ? std::nullopt : std::optional(kept - 1);
  }
  void set(uint64_t block, uint64_t size) { sizes_[block].store(size + 1, std::memory_order_relaxed); }

  // Returns the sizes that are set as a measurement in part of a text of that version and division; null if
  // none is set.
  MeasuredPtr measured_in_part(std::string_view version, uint64_t division) const;
  // Sets the sizes of a measurement in part. Returns false, and sets none, if it is of another division or
  // number of blocks, or has no valid form. Data from another session are checked before they are used.
  bool adopt(const Measured& in_part, uint64_t division);

 private:
  const uint64_t count_;
  const std::unique_ptr<std::atomic<uint64_t>[]> sizes_;  // 0, or the size and 1
};

// Returns the version of a measurement in part of a text of that version.
std::string version_in_part(std::string_view version);
// Returns whether a measurement is one in part. The size of the file does not follow from it.
bool is_in_part(const Measured& measured);
// Joins two measurements of one file: returns the whole one, or the sizes of both if both are in part. If
// they do not fit together, returns `now`.
MeasuredPtr joined(MeasuredPtr now, MeasuredPtr before);

}  // namespace plainfs
