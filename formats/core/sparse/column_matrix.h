// A sparse matrix in the form of Matrix's dgCMatrix: by column, with ascending rows in each, and values as
// doubles.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/entry_order.h"

namespace plainfs {

// Throws unsupported if R's sparse matrices cannot have so many of `what`: "entries", "rows" or "columns".
void check_extent_for_r(uint64_t extent, const char* what);

class ColumnMatrix {
 public:
  // Accepts a matrix in either order; one by row is transposed when an entry or a pointer is first read.
  // Reads all pointers. Throws the matrix's own error, the errors of SparseMajors, and unsupported if it does
  // not hold numbers or exceeds 32 bits.
  ColumnMatrix(const SparseMatrix& matrix, Context& context);

  uint64_t rows() const { return rows_; }
  uint64_t columns() const { return columns_; }
  uint64_t entries() const { return entries_; }
  const std::shared_ptr<const LazyOrder>& order() const { return order_; }

 private:
  uint64_t rows_, columns_, entries_;
  std::shared_ptr<const LazyOrder> order_;
};
using ColumnMatrixPtr = std::shared_ptr<const ColumnMatrix>;

// A cache of one ColumnMatrix per matrix.
class ColumnMatrices {
 public:
  explicit ColumnMatrices(Context& context) : context_(context) {}
  // Returns the ColumnMatrix of `matrix`. Throws like the constructor of ColumnMatrix. Not thread-safe.
  ColumnMatrixPtr of(const SparseMatrix& matrix);

 private:
  struct Known {
    SparseMatrix matrix;
    ColumnMatrixPtr by_column;
  };
  Context& context_;
  std::vector<Known> known_;
};

}  // namespace plainfs
