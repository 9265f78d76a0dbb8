// How many counts and how many features each cell has, as CreateSeuratObject adds them: found out when they
// are read, some cells at a time.
#pragma once

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "fs/native/column_matrix.h"

namespace plainfs {

struct CellSums {
  ArrayPtr counts;    // the sum of each column, double
  ArrayPtr features;  // how many of its values are above 0, int32; missing where one is no number
};

// Reading either throws what reading the values throws.
CellSums cell_sums(const ColumnMatrixPtr& matrix, Context& context);

}  // namespace plainfs
