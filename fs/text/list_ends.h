// The ends of the lists of a ragged column. List i has the elements ends[i - 1] to ends[i]; the first list
// begins at 0.
#pragma once

#include <cstdint>
#include <memory>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/arrays/index_run.h"

namespace plainfs {

// The ends are read in windows, so access to consecutive lists is cheap. Not thread-safe. Throws damaged if
// an end exceeds the number of elements, and whatever Array::read throws.
class ListEnds {
 public:
  // ends: integers of rank 1; must outlive this object. elements: the number of elements that the lists
  // divide.
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
  uint64_t first_ = 0;                                // the first list in the window
};

// Reads all ends. Throws damaged if one is smaller than the one before or exceeds `elements`. Returns the
// last end, or 0 if there are no lists.
uint64_t check_list_ends(const Array& ends, uint64_t elements);

}  // namespace plainfs
