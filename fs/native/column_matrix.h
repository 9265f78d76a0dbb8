// A sparse matrix as Matrix's dgCMatrix has it: by column, the rows of each rising, values as doubles.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/native/entry_order.h"

namespace plainfs {

class ColumnMatrix {
 public:
  // Of a matrix in either order; one by row is turned round when an entry or a pointer is first read. Reads
  // all pointers. Throws what the matrix has as its error, as SparseMajors does, and unsupported where it
  // holds no numbers or is larger than 32 bits count.
  ColumnMatrix(const SparseMatrix& matrix, Context& context);

  uint64_t rows() const { return rows_; }
  uint64_t columns() const { return columns_; }
  uint64_t entries() const { return entries_; }
  const std::shared_ptr<const LaterOrder>& order() const { return order_; }

 private:
  uint64_t rows_, columns_, entries_;
  std::shared_ptr<const LaterOrder> order_;
};
using ColumnMatrixPtr = std::shared_ptr<const ColumnMatrix>;

// One ColumnMatrix for each matrix, however often it is asked for.
class ColumnMatrices {
 public:
  explicit ColumnMatrices(Context& context) : context_(context) {}
  // Throws as the constructor of ColumnMatrix does. Not thread-safe.
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
