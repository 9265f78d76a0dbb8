// Where the text of a table with cells of any size is cut into blocks: between rows, and inside a cell that
// is larger than a block.
#pragma once

#include <cstdint>
#include <vector>

#include "fs/text/text_file.h"
#include "fs/views/nested_cells.h"

namespace plainfs {

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

}  // namespace plainfs
