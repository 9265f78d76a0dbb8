#include "formats/core/model/annotated_matrix.h"

#include <utility>

namespace plainfs {

SparseMatrix transposed(SparseMatrix matrix) {
  std::swap(matrix.rows, matrix.columns);
  std::swap(matrix.row_names, matrix.column_names);
  matrix.by_row = !matrix.by_row;
  matrix.row_ids = nullptr;
  return matrix;
}

}  // namespace plainfs
