// Tables, sparse matrices and arrays as files for R's readRDS: the output of saveRDS(x, compress = FALSE) for
// the same object, byte for byte. Everything except data (names, levels, the lengths of texts) is read when
// the layout is created. Also functions for the parts that these share with other R objects.
#pragma once

#include <functional>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/column_matrix.h"
#include "fs/layout/byte_layout.h"
#include "fs/views/r/rds_writer.h"
#include "fs/views/table/factor_codes.h"

namespace plainfs {

// Returns a data.frame. A factor with distinct levels becomes an R factor.
ByteLayout table_rds(const Table& table, Context& context, const std::string& place = "a table as .rds");

// Returns a matrix (rank 2) or array. Requires: rank >= 2.
ByteLayout array_rds(const LabelledArray& array, Context& context);
// Returns whether R has vectors of such elements: numbers, booleans and text.
bool has_rds(const LabelledArray& array);

// Returns a dgCMatrix, or a dgRMatrix if the store is by row; lgCMatrix and lgRMatrix for booleans. The
// entries of each column (row) are sorted. A duplicate entry is an error when it is read.
ByteLayout sparse_rds(const SparseMatrix& matrix, Context& context);

// Returns a dgTMatrix or lgTMatrix with its entries in stored order. R adds duplicate entries up, as in
// MatrixMarket.
ByteLayout coordinates_rds(const CoordinateMatrix& matrix, Context& context);

// Writes a factor and its attributes up to its class. end_attributes() must follow.
void put_factor(const NativeFactor& factor, RdsWriter& out);

// Writes a data.frame of columns of the same length (fs/views/table/flat_columns.h). put_row_names writes the
// vector of its last attribute.
void put_data_frame(const std::vector<Column>& columns, const std::function<void()>& put_row_names,
                    Context& context, RdsWriter& out);

// Returns values as R holds all of them; null if R can hold them only as text.
ArrayPtr values_in_r(const Column& column, Context& context);

// Writes the slots of a dgCMatrix in R's order, from i to factors, as attributes. The names are text, as many
// as rows and columns, or null.
void put_dgc_slots(const ColumnMatrix& matrix, const ArrayPtr& row_names, const ArrayPtr& column_names,
                   RdsWriter& out);

}  // namespace plainfs
