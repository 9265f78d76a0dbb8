// Where the lists of a ragged column end: list i has elements ends[i - 1] to ends[i] of what it divides, the
// first from 0.
#pragma once

#include <cstdint>
#include <memory>

#include "formats/core/model/array.h"
#include "fs/text/index_run.h"

namespace plainfs {

// The ends are read in windows, so lists that follow each other cost little. For one thread. Throws damaged
// where an end is beyond what is divided, and what Array::read throws.
class ListEnds {
 public:
  // ends: whole numbers, rank 1, and elements: how many there are to divide. ends outlives this.
  ListEnds(const Array& ends, uint64_t elements) : ends_(ends), elements_(elements), lists_(ends.count()) {}

  uint64_t lists() const { return lists_; }
  // Requires: list < lists().
  uint64_t begin(uint64_t list) { return list == 0 ? 0 : end(list - 1); }
  uint64_t end(uint64_t list);

 private:
  const Array& ends_;
  const uint64_t elements_;
  const uint64_t lists_;
  std::unique_ptr<const IndexRun<uint64_t>> window_;  // null before the first use
  uint64_t first_ = 0;                                // list that the window begins with
};

// Goes through all ends: throws damaged where one is smaller than the one before or beyond the elements.
// Returns the last, 0 where there is none.
uint64_t check_list_ends(const Array& ends, uint64_t elements);

}  // namespace plainfs
