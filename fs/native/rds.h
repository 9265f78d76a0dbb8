// Tables, sparse matrices and arrays as files that R's readRDS reads: what saveRDS(x, compress = FALSE)
// writes of the same object, byte for byte. What is not data (names, levels, the lengths of texts) is looked
// at when the layout is made.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// A data.frame; a factor with distinct levels is one there too.
ByteLayout table_rds(const Table& table, Context& context);

// A matrix (rank 2) or array. Requires: rank >= 2.
ByteLayout array_rds(const LabelledArray& array, Context& context);
// Whether R has vectors of such elements: numbers, truth values and text.
bool has_rds(const LabelledArray& array);

// A dgCMatrix, or a dgRMatrix where the store runs by row; lgCMatrix and lgRMatrix of truth values. The
// entries of each column (row) are put in order; one that is there twice is an error when it is read.
ByteLayout sparse_rds(const SparseMatrix& matrix, Context& context);

// A dgTMatrix or lgTMatrix, its entries in the store's order: one that is there twice is their sum in R, as
// in MatrixMarket.
ByteLayout coordinates_rds(const CoordinateMatrix& matrix, Context& context);

}  // namespace plainfs
