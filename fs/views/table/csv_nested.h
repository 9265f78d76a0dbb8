// The cells of one column of a table: lists of lists, to any depth, with the elements of one array as leaves.
// At level 0 the list of a row has children. Those are lists of level 1 or, at the last level, leaves. The
// lists of a level are numbered through the whole column, and so are the leaves, so a place in a cell is one
// number per level.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/core/model/arrays/nested_array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/list_ends.h"
#include "fs/text/text_file.h"

namespace plainfs {

struct Span {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};

// The lists of one column. Not thread-safe: it keeps windows of the indices.
class NestedCells {
 public:
  // `elements` must outlive this object.
  explicit NestedCells(const RowElements& elements);

  // Returns the number of levels; 0 if a cell is one element.
  size_t levels() const { return levels_.size(); }
  const Array& values() const { return *elements_.values; }
  // Returns the number of rows of the column.
  uint64_t rows() const { return row_count(elements_); }

  // Returns the children of a list. Throws like ListEnds.
  Span children(size_t level, uint64_t list);
  // Returns the children of a run of lists.
  Span all_children(size_t level, Span lists);
  // Returns the leaves under a run of lists of a level, or under a run of leaves if level is levels().
  Span leaves(size_t level, Span lists);
  Span leaves_of_row(uint64_t row) { return leaves(0, {row, row + 1}); }

  // Throws damaged if an index decreases or exceeds the elements that it divides, or if the leaves cannot be
  // read at all. Reads all indices.
  void check() const;

 private:
  // Lists that an index divides, or that all have the same number of children.
  struct Level {
    std::optional<ListEnds> ends;
    uint64_t length = 0;
  };

  const RowElements& elements_;
  std::vector<Level> levels_;
};

// The division of a table with cells of any size into blocks of text: between rows, and inside a cell that is
// larger than a block.

// Target size of a block's text. It is smaller than for other texts: a small read costs a block and the
// chunks under it, and chunks of ragged columns are compressed numbers, which take longest to format.
inline constexpr uint64_t kCellBlockText = kBlockText / 2;

// A path into a cell: the list at each entered level; the last number is the next child.
using Path = std::vector<uint64_t>;

// A place before a row (column 0, empty path), or before a child in a cell and the comma in front of it.
struct CellPlace {
  uint64_t row = 0;
  size_t column = 0;
  Path path;
};

// Returns a number of elements close to `wanted` such that steps of that size end where the array's chunks
// end. A block of text then needs no second chunk. Requires: wanted > 0.
uint64_t step_along_chunks(const Array& values, uint64_t wanted);

struct CutColumn {
  NestedCells cells;
  uint64_t leaf_width;  // approximate characters of one leaf
};

// Returns the approximate number of characters of an element of `values` as JSON in a CSV field. May read a
// few elements.
uint64_t json_width(const Array& values);

// Returns the beginnings of blocks of about block_text characters each, the first at the beginning of the
// table; empty if there are no rows. Requires: every column has been checked and has `rows` rows.
std::vector<CellPlace> cut_cells(uint64_t rows, std::vector<CutColumn> columns, uint64_t block_text);

// Tables with cells that hold lists (fs/VIEWS.md, sections 4 and 7). Each such cell is JSON in a CSV field. A
// cell may be as large as the whole store, so blocks of text are cut inside rows and cells if necessary.

// Returns whether a column of the table is a NestedArray.
bool has_nested_columns(const Table& table);

// Returns the text of such a table. Compound columns other than NestedArrays are JSON as well. prepare()
// reads all indices. It throws damaged if they do not fit their data or if columns differ in length.
std::unique_ptr<TextSource> csv_nested(Table table, Context& context);

}  // namespace plainfs
