// The entries of a sparse matrix across its compressed axis: those of some lines, in the order of the store.
// They are found by a pass over the matrix, or, once all entries are sorted by line, read from that order.
// The order takes few bytes: for each entry the distance from the one before it on its line and its value,
// with whole numbers below 128 in one byte. One pass creates it, in segments that are short enough for
// memory. It is in the cache if that has room, else in an unnamed file (formats/core/base/scratch.h), and
// each line read from it is verified by a checksum.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cache/lazy.h"
#include "formats/core/base/scratch.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/sparse_majors.h"

namespace plainfs {

// Lines to look for: those from `first` on, `count` of them or, if there are numbers, only those with one.
struct WantedLines {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t first = 0, count = 0;
  std::vector<uint32_t> numbers{};  // of each line from `first` on, kNone if it is not wanted

  static WantedLines run(uint64_t first, uint64_t count);
  // Numbers the lines in their order. Requires: they ascend, and there is at least one.
  static WantedLines some(std::span<const uint64_t> lines);
  // Returns the number of a line, or kNone.
  uint32_t number_of(uint32_t line) const {
    const uint32_t i = line - first;  // wraps around to a large number for a line before the first
    if (i >= count) return kNone;
    return numbers.empty() ? i : numbers[i];
  }
};

// Entries of wanted lines. Those of each line are in stored order.
struct FoundEntries {
  std::vector<uint32_t> lines;   // the number of each entry's line (WantedLines)
  std::vector<uint32_t> majors;  // the places on these lines
  Elements values;               // if they are needed
};

class LineOrder {
 public:
  // Requires: majors are those of the matrix and outlive this object; the values have a fixed size; no extent
  // is over UINT32_MAX.
  LineOrder(SparseMatrix matrix, const SparseMajors& majors, Context& context);
  ~LineOrder();
  LineOrder(const LineOrder&) = delete;
  LineOrder& operator=(const LineOrder&) = delete;

  // Returns whether there is room for the order, as far as is known. prepare() may still run out of it.
  bool has_room() const;
  // Sorts all entries by a pass over the matrix unless they are sorted; returns false if there is no room.
  // Throws the errors of reading the matrix.
  bool prepare() const;
  // Calls visit(entries) for the entries of the wanted lines, some at a time, with or without their values:
  // from the order if prepare() has found room, else by a pass over the matrix. Throws the errors of reading
  // the matrix, and unreadable if the disk does not return the data.
  void visit(const WantedLines& wanted, bool with_values,
             const std::function<void(const FoundEntries&)>& visit) const;

  // The encoding of a segment's entries.
  struct Form {
    uint32_t first_major = 0;
    bool are_small = false;
    bool marks_missing = false;
  };

 private:
  enum class Store { cache, disk, nowhere };
  struct Segment {
    Bytes bytes;
    Form form;
    size_t allocated_bytes() const { return bytes.capacity(); }
  };
  struct Placed {
    uint64_t offset;  // in the file
    Form form;
  };
  struct OnDisk {
    std::unique_ptr<const ScratchFile> file;
    std::vector<Placed> placed;  // for each segment
  };

  Store choose() const;
  uint64_t segments() const;
  Segment make(uint64_t segment) const;
  template <class Work>
  void for_segments(Work&& work) const;
  // Returns nullopt if the disk is too full.
  std::optional<OnDisk> fill_disk() const;
  std::shared_ptr<const Segment> segment_in_cache(uint64_t number) const;
  void fill_cache() const;
  class SortedBytes;
  void take(const SortedBytes& segment, const WantedLines& wanted, bool with_values,
            FoundEntries& found) const;
  void take_run(const SortedBytes& segment, uint32_t line, uint32_t count, uint32_t number, bool with_values,
                FoundEntries& found) const;
  void find(uint64_t first, uint64_t last, const WantedLines& wanted, bool with_values,
            FoundEntries& found) const;

  const SparseMatrix matrix_;
  const SparseMajors& majors_;
  Context& context_;
  const uint64_t lines_;
  const uint64_t entries_;
  const uint64_t in_segment_;                     // entries
  const uint64_t at_once_;                        // entries that a thread looks through
  const bool stays_in_cache_;                     // the stored matrix
  const std::shared_ptr<ScratchFolder> scratch_;  // null: none
  const uint64_t cache_owner_;
  mutable std::atomic<Store> prepared_{Store::nowhere};
  Lazy<std::optional<OnDisk>> on_disk_;  // the result of fill_disk()
};

}  // namespace plainfs
