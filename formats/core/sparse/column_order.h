// A matrix stored by row as one by column, for files that have no other order. The entries of each column are
// counted once. The entries themselves are placed on read, in bands that fit a part of the cache. A matrix
// that stays in the cache is passed over for each band; a larger one is sorted once (line_order.h) if there
// is room, else each band takes a pass.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// Returns the same matrix by column: rows ascend in each column, and entries at the same place keep their
// order. Reads all indices to count them. Requires: by_row is set; the values are numbers or booleans. Throws
// like SparseMajors, damaged if an index lies outside the matrix, and unsupported if there are too many
// columns for the memory. Reading a value or an index reads all of the stored matrix: once, or without room
// once per band while the cache holds the band.
SparseMatrix by_column(const SparseMatrix& matrix, Context& context);

}  // namespace plainfs
