// The index that tabix builds for a BGZF file of lines with positions (BED, VCF, GFF: LineLayout), so that a
// region is read without the rest. The pass that measures the lines also builds the index. It equals htslib's
// index, bin for bin, except that the bins are in ascending order; htslib leaves their order to its hash
// table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/workers.h"
#include "formats/core/base/error.h"
#include "fs/text/text_file.h"
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

// The position columns of a line, and the name of a line in messages.
struct LineLayout {
  uint32_t preset;    // 0x10000: 0-based, as in BED; 2: VCF
  uint32_t sequence;  // column numbers from 1
  uint32_t begin;
  uint32_t end;  // 0 = computed from the rest of the line
  const char* line;
};
inline constexpr LineLayout kFragmentLines{0x10000, 1, 2, 3, "fragment"};
inline constexpr LineLayout kVariantLines{2, 1, 2, 0, "variant"};

// A summary of consecutive lines in one chromosome for the index. Nearly all lines lie in the same bin as the
// previous line. Only their number is kept.
class IndexedLines {
 public:
  // `layout` must outlive this object.
  IndexedLines(std::string chromosome, const LineLayout& layout)
      : chromosome_(std::move(chromosome)), layout_(&layout) {}

  const std::string& chromosome() const { return chromosome_; }
  // Adds the next line, with positions [start, end) from 0 on. bytes: its length with the line feed.
  void add(uint64_t start, uint64_t end, uint64_t bytes) {
    if (alike(1, [&](uint64_t) { return std::pair(start, end); }) == 0) add_distinct(start, end);
    add_alike(1, bytes, start);
  }

  // Returns how many of the next lines, from the first on, are in order and in the leaf bin of the last line.
  // interval(i) returns the start and end of the i-th. Cheap, because it is called for every measured line.
  template <class Interval>
  uint64_t alike(uint64_t count, const Interval& interval) const {
    const uint64_t reach = alike_reach();
    uint64_t before = last_start_;
    for (uint64_t i = 0; i < count; ++i) {
      const auto [start, end] = interval(i);
      if (start < before || end < start || std::max<uint64_t>(end, uint64_t{start} + 1) > reach) return i;
      before = start;
    }
    return count;
  }
  // Returns the largest end of such lines; 0 if no leaf contains the last line.
  uint64_t alike_reach() const { return (leaf_ + 1) << Binning::kLeafBits; }
  // Adds the next `lines` lines, at least one and at most alike(), `bytes` long in total.
  void add_alike(uint64_t lines, uint64_t bytes, uint64_t last_start) {
    last_start_ = last_start;
    bytes_ += bytes;
    count_ += lines;
  }

  // Extends the last line, which may be in another block, by `bytes`.
  void extend(uint64_t bytes) { bytes_ += bytes; }

 private:
  friend class PositionIndexer;
  struct Line {
    uint64_t start, end;
    uint64_t offset;  // from the first of these lines
  };
  static constexpr uint64_t kNone = UINT64_MAX;

  void add_distinct(uint64_t start, uint64_t end);

  std::string chromosome_;
  const LineLayout* layout_;
  std::vector<Line> distinct_;  // not in the bin of the previous line, or beyond all previous lines
  uint64_t count_ = 0;
  uint64_t bytes_ = 0;
  uint64_t last_start_ = 0;
  uint64_t leaf_ = kNone;       // the smallest bin, if the last line lies in one
  uint64_t bin_ = kNone;        // of the last line
  uint64_t reached_ = 0;        // one past the last window that a line overlaps
  std::optional<Error> error_;  // set if these lines cannot be indexed
};

// Builds the indexes of a text from its blocks. Both kinds divide positions in the same way. Thread-safe.
class PositionIndexer {
 public:
  // head_bytes: bytes of the text before the first line.
  explicit PositionIndexer(const LineLayout& layout, uint64_t head_bytes = 0);
  ~PositionIndexer();

  // Adds the lines of a block, chromosome by chromosome. Blocks may come in any order; adding one again has
  // no effect. A block that waits for earlier ones takes little memory.
  void add(uint64_t block, std::vector<IndexedLines> lines);
  bool has(uint64_t block) const;

  // Returns the content of the index file of bgzf_file(text), before compression. Requires: all blocks were
  // added. Throws unsupported if there is no index of that kind: the lines of a chromosome are not contiguous
  // or not in the order of their starts, or a position is too large.
  std::string finish(IndexKind kind);
  // Like finish(kind), for `blocks` blocks. Calls measure(block), which adds a block, for each one that was
  // not measured because its size was already known.
  std::string finish(IndexKind kind, uint64_t blocks, const std::function<void(uint64_t block)>& measure,
                     Workers& workers);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace plainfs
