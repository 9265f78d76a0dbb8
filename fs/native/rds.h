// Tables, sparse matrices and arrays as files that R's readRDS reads: what saveRDS(x, compress = FALSE)
// writes of the same object, byte for byte. What is not data (names, levels, the lengths of texts) is looked
// at when the layout is made. Then the parts of them that other R objects have too.
#pragma once

#include <functional>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/native/byte_layout.h"
#include "fs/native/column_matrix.h"
#include "fs/native/factor_codes.h"
#include "fs/native/rds_writer.h"

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

// A factor, its attributes as far as its class; end_attributes() is to follow.
void put_factor(const NativeFactor& factor, RdsWriter& out);

// A data.frame of columns that are all as long (fs/native/flat_columns.h); put_row_names puts the vector that
// is its last attribute.
void put_data_frame(const std::vector<Column>& columns, const std::function<void()>& put_row_names,
                    Context& context, RdsWriter& out);

// The slots of a dgCMatrix in R's order, from i to factors, as attributes; the names are text, as many as
// rows and columns.
void put_dgc_slots(const ColumnMatrix& matrix, const ArrayPtr& row_names, const ArrayPtr& column_names,
                   RdsWriter& out);

}  // namespace plainfs
