// The binning index of one chromosome, as htslib builds it while it reads records in order.
#pragma once

#include <cstdint>
#include <vector>

#include "fs/text/view_file.h"

namespace plainfs {

// How a kind of index divides positions: leaf bins of 2^14, each level above holds 8 of the one below.
struct Binning {
  static constexpr unsigned kLeafBits = 14;
  unsigned depth;  // levels below the root

  static Binning of(IndexKind kind) { return {kind == IndexKind::tbi ? 5u : 6u}; }

  uint64_t positions() const { return uint64_t{1} << (kLeafBits + 3 * depth); }
  static uint64_t first_bin(unsigned level) { return ((uint64_t{1} << (3 * level)) - 1) / 7; }
  // The bin that htslib keeps its counts in.
  uint64_t count_bin() const { return first_bin(depth + 1) + 1; }
  // The smallest bin that holds [start, end). Requires: start < end <= positions().
  uint64_t bin_of(uint64_t start, uint64_t end) const;
  // The first leaf below a bin, counted from 0.
  uint64_t first_leaf(uint64_t bin) const;
  // The number of a bin among those of one level less, where the first of level 1 is the root. Requires: it
  // lies below that.
  static uint64_t without_root(uint64_t bin);
};

// A run of the file, between two virtual offsets.
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

  // The next line, at that virtual offset. Requires: start < end <= binning.positions(), starts do not fall.
  void add(uint64_t start, uint64_t end, uint64_t offset);
  // Lines after the last one, in its bin, that reach no farther than any before. Requires: there is one.
  void add_like_it(uint64_t lines) { lines_ += lines; }
  // Where the last line ends. Nothing is added after that.
  void finish(uint64_t offset);

  // Those that hold lines, by rising number. Requires: finish() was called.
  const std::vector<IndexBin>& bins() const { return bins_; }
  // For each window of 2^14 positions, where the first line that reaches into it begins.
  const std::vector<uint64_t>& windows() const { return windows_; }
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  uint64_t lines() const { return lines_; }

 private:
  // Lines that follow each other in one bin, up to the next run.
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
