// The index that tabix makes of a BGZF file of fragments (or of any BED: name, start, end, …), so that a
// region is read without the rest. It is made on the way by whoever goes through the lines to know how long
// they are, and holds what htslib's holds, bin for bin; only that bins stand in rising order, which htslib
// leaves to its hash table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/base/error.h"
#include "fs/native/binning_index.h"

namespace plainfs {

enum class FragmentsIndex {
  tbi,  // for positions up to 2^29
  csi,  // of depth 6: up to 2^32
};

// What an index has to know of lines that follow each other in one chromosome: nearly all of them lie in the
// bin of the line before, and only their number matters.
class FragmentLines {
 public:
  explicit FragmentLines(std::string chromosome) : chromosome_(std::move(chromosome)) {}

  // The next line; bytes: with its line feed.
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

 private:
  friend class FragmentsIndexer;
  struct Line {
    uint64_t start, end;
    uint64_t offset;  // from the first of these lines
  };
  static constexpr uint64_t kNone = UINT64_MAX;

  void add_telling(uint64_t start, uint64_t end);

  std::string chromosome_;
  std::vector<Line> telling_;  // those in another bin than the one before, or farther than any before
  uint64_t count_ = 0;
  uint64_t bytes_ = 0;
  uint64_t last_start_ = 0;
  uint64_t leaf_ = kNone;       // the smallest bin, where the last line lies in one
  uint64_t bin_ = kNone;        // that of the last line
  uint64_t reached_ = 0;        // one past the last window that a line reaches into
  std::optional<Error> error_;  // where there is no index of them
};

// Puts an index together from the blocks of a text. Thread-safe.
class FragmentsIndexer {
 public:
  explicit FragmentsIndexer(FragmentsIndex kind);
  ~FragmentsIndexer();

  // The lines of a block, in any order of blocks; one that was added already changes nothing. What is held of
  // a block until all before it are there is little.
  void add(uint64_t block, FragmentLines lines);
  bool has(uint64_t block) const;

  // What the index file of bgzf_file(text) holds, before it is framed itself. Requires: all blocks were
  // added. Throws unsupported where there is no index of that kind: a chromosome's lines
  // are not one run, or not in the order of their starts, or a position is too large.
  std::string finish();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace plainfs
