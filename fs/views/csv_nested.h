// The cells of one column of a table: lists of lists, to any depth, whose leaves are the elements of
// one array. At level 0 a row's list has children; those are lists of level 1 or, at the last level, leaves.
// The lists of a level are numbered through the whole column, and so are the leaves, so a place in a cell is
// a number a level.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/nested_array.h"
#include "formats/core/model/node.h"
#include "fs/text/list_ends.h"
#include "fs/text/text_file.h"

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

// Where the text of a table with cells of any size is cut into blocks: between rows, and inside a cell that
// is larger than a block.

// Bytes of text a block should have. Less than elsewhere: a small read somewhere costs a block and the chunks
// under it, and those of ragged columns are compressed numbers, whose digits take longest to make.
inline constexpr uint64_t kCellBlockText = kBlockText / 2;

// A way into a cell: the list at each level that is entered, the last one the child that comes next.
using Path = std::vector<uint64_t>;

// Before a row (column 0, no path), or before a child in a cell, and before the comma in front of it.
struct CellPlace {
  uint64_t row = 0;
  size_t column = 0;
  Path path;
};

// About so many elements as wanted, but such that steps of so many end where the array's chunks end: a block
// of text then needs no second chunk. wanted > 0.
uint64_t step_along_chunks(const Array& values, uint64_t wanted);

struct CutColumn {
  NestedCells cells;
  uint64_t leaf_width;  // characters of one leaf, about
};

// About how many characters an element of values takes as JSON in a CSV field. May read a few elements.
uint64_t json_width(const Array& values);

// The beginnings of blocks of about block_text characters each, the first that of the table; none where there
// are no rows. Requires: every column has been checked and has rows rows.
std::vector<CellPlace> cut_cells(uint64_t rows, std::vector<CutColumn> columns, uint64_t block_text);

// A table with cells that hold lists (fs/VIEWS.md, sections 4 and 7): each such cell is JSON in a CSV field.
// A cell may be as large as the whole store, so blocks of text are cut inside rows and cells where need be.

// Whether a column of the table is a NestedArray.
bool has_nested_columns(const Table& table);

// Of such a table; a column of compounds that are no NestedArray is JSON as well. prepare() reads all
// indices; it throws damaged where they do not fit their data or columns differ in length.
std::unique_ptr<TextSource> csv_nested(Table table, Context& context);

}  // namespace plainfs
