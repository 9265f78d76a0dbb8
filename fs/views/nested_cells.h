// The cells of one column of a table: lists of lists, to any depth, whose leaves are the elements of
// one array. At level 0 a row's list has children; those are lists of level 1 or, at the last level, leaves.
// The lists of a level are numbered through the whole column, and so are the leaves, so a place in a cell is
// a number a level.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/model/nested_array.h"
#include "fs/text/list_ends.h"

namespace plainfs {

struct Span {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};

// For one thread: it keeps windows of the indices.
class NestedCells {
 public:
  // elements outlive this.
  explicit NestedCells(const RowElements& elements);

  // 0: a cell is one element.
  size_t levels() const { return levels_.size(); }
  const Array& values() const { return *elements_.values; }
  // Rows that the column has.
  uint64_t rows() const { return row_count(elements_); }

  // The children of a list. Throws as ListEnds does.
  Span children(size_t level, uint64_t list);
  // The children of a run of lists.
  Span all_children(size_t level, Span lists);
  // The leaves under a run of lists of a level (a run of leaves where level is levels()).
  Span leaves(size_t level, Span lists);
  Span leaves_of_row(uint64_t row) { return leaves(0, {row, row + 1}); }

  // Throws damaged where an index does not rise or leads past what it divides, and where the leaves cannot be
  // had at all. Reads all indices.
  void check() const;

 private:
  // Lists that an index divides, or that all have as many children.
  struct Level {
    std::optional<ListEnds> ends;
    uint64_t length = 0;
  };

  const RowElements& elements_;
  std::vector<Level> levels_;
};

}  // namespace plainfs
