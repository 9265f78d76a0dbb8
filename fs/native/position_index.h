// The index that tabix makes of a BGZF file whose lines stand at positions (BED, VCF, GFF: LineLayout), so
// that a region is read without the rest. It is made on the way by the pass over the lines that finds out how
// long they are, and holds what htslib's holds, bin for bin; only that bins stand in rising order, which
// htslib leaves to its hash table.
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
#include "fs/native/binning_index.h"
#include "fs/text/text_file.h"

namespace plainfs {

// Where tabix finds the position in a line, and what one is called in messages.
struct LineLayout {
  uint32_t preset;    // 0x10000: counted from 0, as in BED; 2: VCF
  uint32_t sequence;  // columns, from 1
  uint32_t begin;
  uint32_t end;  // 0 = it follows from the rest of the line
  const char* line;
};
inline constexpr LineLayout kFragmentLines{0x10000, 1, 2, 3, "fragment"};
inline constexpr LineLayout kVariantLines{2, 1, 2, 0, "variant"};

// What an index has to know of lines that follow each other in one chromosome: nearly all of them lie in the
// bin of the line before, and only their number matters.
class IndexedLines {
 public:
  // layout: outlives them.
  IndexedLines(std::string chromosome, const LineLayout& layout)
      : chromosome_(std::move(chromosome)), layout_(&layout) {}

  const std::string& chromosome() const { return chromosome_; }
  // The next line, of positions [start, end) from 0 on; bytes: with its line feed.
  void add(uint64_t start, uint64_t end, uint64_t bytes) {
    if (alike(1, [&](uint64_t) { return std::pair(start, end); }) == 0) add_telling(start, end);
    add_alike(1, bytes, start);
  }

  // How many of the next lines, from the first on, lie in order in the leaf bin of the last one. interval(i):
  // the start and the end of the i-th. Cheap: it is asked of every line that is measured.
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
  // Where such lines end at the latest: 0 where no leaf holds the last line.
  uint64_t alike_reach() const { return (leaf_ + 1) << Binning::kLeafBits; }
  // As many next lines as alike() says or fewer, not none; bytes: of them all.
  void add_alike(uint64_t lines, uint64_t bytes, uint64_t last_start) {
    last_start_ = last_start;
    bytes_ += bytes;
    count_ += lines;
  }

  // The last line, which may stand in another block, goes on for so many bytes.
  void extend(uint64_t bytes) { bytes_ += bytes; }

 private:
  friend class PositionIndexer;
  struct Line {
    uint64_t start, end;
    uint64_t offset;  // from the first of these lines
  };
  static constexpr uint64_t kNone = UINT64_MAX;

  void add_telling(uint64_t start, uint64_t end);

  std::string chromosome_;
  const LineLayout* layout_;
  std::vector<Line> telling_;  // those in another bin than the one before, or farther than any before
  uint64_t count_ = 0;
  uint64_t bytes_ = 0;
  uint64_t last_start_ = 0;
  uint64_t leaf_ = kNone;       // the smallest bin, where the last line lies in one
  uint64_t bin_ = kNone;        // that of the last line
  uint64_t reached_ = 0;        // one past the last window that a line reaches into
  std::optional<Error> error_;  // where there is no index of them
};

// Puts the indexes of a text, both kinds of which divide positions alike, together from its blocks.
// Thread-safe.
class PositionIndexer {
 public:
  // head_bytes: of the text, before the first line.
  explicit PositionIndexer(const LineLayout& layout, uint64_t head_bytes = 0);
  ~PositionIndexer();

  // The lines of a block, chromosome by chromosome, in any order of blocks; one that was added already
  // changes nothing. What is held of a block until all before it are there is little.
  void add(uint64_t block, std::vector<IndexedLines> lines);
  bool has(uint64_t block) const;

  // What the index file of bgzf_file(text) holds, before it is framed itself. Requires: all blocks were
  // added. Throws unsupported where there is no index of that kind: a chromosome's lines
  // are not one run, or not in the order of their starts, or a position is too large.
  std::string finish(IndexKind kind);
  // The same of so many blocks; measure(block) adds one: it is called for those that were not measured,
  // because their sizes were known already.
  std::string finish(IndexKind kind, uint64_t blocks, const std::function<void(uint64_t block)>& measure,
                     Workers& workers);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace plainfs
