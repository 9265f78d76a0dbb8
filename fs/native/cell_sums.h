// The sum of counts and the number of features of each cell, as CreateSeuratObject computes them. They are
// computed on read, some cells at a time.
#pragma once

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "formats/core/sparse/column_matrix.h"

namespace plainfs {

struct CellSums {
  ArrayPtr counts;    // the sum of each column, double
  ArrayPtr features;  // the number of positive values, int32; missing if a value is not a number
};

// Returns arrays that throw the errors of reading the values.
CellSums cell_sums(const ColumnMatrixPtr& matrix, Context& context);

}  // namespace plainfs
