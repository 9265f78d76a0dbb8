// Which blocks of a file are read next, told from those that were: a few sequences are followed at once (the
// data and the indices of a sparse matrix are read side by side).
#pragma once

#include <cstdint>
#include <vector>

namespace plainfs::remote {

inline constexpr uint64_t kBlockBytes = 64 << 10;  // of a file, but its last one

struct BlockRange {
  uint64_t first;
  uint64_t end;
  bool operator==(const BlockRange&) const = default;
};

// For one thread at a time.
class ReadAhead {
 public:
  // most_ahead: blocks, at least 1.
  explicit ReadAhead(uint64_t most_ahead) : most_ahead_(most_ahead) {}

  // These blocks are read now; those to be fetched ahead, none where first == end. They may begin before the
  // end of what was named before, never of what was read.
  BlockRange after(BlockRange read);

 private:
  struct Sequence {
    uint64_t at;      // the block that comes next
    uint64_t asked;   // the first that was not named yet
    uint64_t window;  // blocks
    uint64_t used;    // time of the last read
  };
  Sequence* sequence_of(BlockRange read);

  const uint64_t most_ahead_;
  uint64_t now_ = 0;
  std::vector<Sequence> sequences_;
};

}  // namespace plainfs::remote
