// The binning index of one chromosome, as htslib builds it while reading records in order.
#pragma once

#include <cstdint>
#include <vector>

#include "fs/text/view_file.h"

namespace plainfs {

// The division of positions by a kind of index: leaf bins of 2^14; each bin above holds 8 bins of the next
// level.
struct Binning {
  static constexpr unsigned kLeafBits = 14;
  unsigned depth;  // levels below the root

  static Binning of(IndexKind kind) { return {kind == IndexKind::tbi ? 5u : 6u}; }

  uint64_t positions() const { return uint64_t{1} << (kLeafBits + 3 * depth); }
  static uint64_t first_bin(unsigned level) { return ((uint64_t{1} << (3 * level)) - 1) / 7; }
  // Returns the pseudo-bin in which htslib keeps its counts.
  uint64_t count_bin() const { return first_bin(depth + 1) + 1; }
  // Returns the smallest bin that contains [start, end). Requires: start < end <= positions().
  uint64_t bin_of(uint64_t start, uint64_t end) const;
  // Returns the first leaf below a bin, counted from 0.
  uint64_t first_leaf(uint64_t bin) const;
  // Returns the number of a bin in a hierarchy without the top level, with the first bin of level 1 as root.
  // Requires: the bin lies below that one.
  static uint64_t without_root(uint64_t bin);
};

// A run of the file between two virtual offsets.
struct IndexChunk {
  uint64_t begin;
  uint64_t end;
};

struct IndexBin {
  uint64_t number;
  std::vector<IndexChunk> chunks;
};

class ChromosomeIndex {
 public:
  explicit ChromosomeIndex(Binning binning) : binning_(binning) {}

  // Adds the next line, at virtual offset `offset`. Requires: start < end <= binning.positions(); starts do
  // not decrease.
  void add(uint64_t start, uint64_t end, uint64_t offset);
  // Adds lines after the last one that lie in its bin and do not extend beyond earlier lines. Requires: there
  // is a last line.
  void add_like_it(uint64_t lines) { lines_ += lines; }
  // Ends the index; `offset` is the end of the last line. Nothing may be added afterwards.
  void finish(uint64_t offset);

  // Returns the bins that hold lines, in ascending order. Requires: finish() was called.
  const std::vector<IndexBin>& bins() const { return bins_; }
  // Returns for each window of 2^14 positions the offset of the first line that overlaps it.
  const std::vector<uint64_t>& windows() const { return windows_; }
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  uint64_t lines() const { return lines_; }

 private:
  // Consecutive lines in one bin, up to the next run.
  struct Run {
    uint64_t bin;
    uint64_t begin;
  };
  class Tree;

  void fill_windows();
  void fill_bins();

  const Binning binning_;
  std::vector<Run> runs_;  // until finish()
  std::vector<IndexBin> bins_;
  std::vector<uint64_t> windows_;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  uint64_t lines_ = 0;
};

}  // namespace plainfs
