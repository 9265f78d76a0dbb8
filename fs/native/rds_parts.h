// Parts that several R objects have: data frames, factors, the slots of sparse matrices.
#pragma once

#include <functional>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/native/column_matrix.h"
#include "fs/native/factor_codes.h"
#include "fs/native/rds_writer.h"

namespace plainfs {

// A factor, its attributes as far as its class; end_attributes() is to follow.
void put_factor(const NativeFactor& factor, RdsWriter& out);

// A data.frame of columns that are all as long (fs/native/flat_columns.h); put_row_names puts the vector that
// is its last attribute.
void put_data_frame(const std::vector<Column>& columns, const std::function<void()>& put_row_names,
                    RdsWriter& out);

// The slots of a dgCMatrix in R's order, from i to factors, as attributes; the names are text, as many as
// rows and columns.
void put_dgc_slots(const ColumnMatrix& matrix, const ArrayPtr& row_names, const ArrayPtr& column_names,
                   RdsWriter& out);

}  // namespace plainfs
