// A group of data, indices and indptr: a compressed sparse matrix as scipy, AnnData, SeuratDisk and 10x keep
// it.
#pragma once

#include "formats/core/frames/encoding.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// Whether group has all three parts as arrays, be they damaged.
bool has_compressed_parts(const Group& group);

// The three parts in a SparseMatrix without sizes or names. One that is absent, no array or unreadable is in
// error, which makes the matrix damaged.
SparseMatrix compressed_parts(const Group& group);

// The matrix of that shape, compressed by row (csr) or by column (csc); transposed: rows and columns change
// places, and what was compressed by row is by column, over the same parts in the same order.
SparseMatrix compressed_matrix(const Group& group, const MatrixShape& shape, bool by_row, bool transposed);

}  // namespace plainfs::frames
