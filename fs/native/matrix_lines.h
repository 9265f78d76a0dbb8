// The rows or the columns of a matrix, one at a time: a gene in all cells, a cell with all genes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// All of one direction. Thread-safe; what reads throws what the matrix has as its error and what reading its
// parts throws.
class MatrixLines {
 public:
  MatrixLines(DType dtype, uint64_t count, uint64_t length)
      : dtype_(std::move(dtype)), count_(count), length_(length) {}
  virtual ~MatrixLines() = default;
  MatrixLines(const MatrixLines&) = delete;
  MatrixLines& operator=(const MatrixLines&) = delete;

  const DType& dtype() const { return dtype_; }  // as stored
  uint64_t count() const { return count_; }
  uint64_t length() const { return length_; }  // elements of each

  // Elements [first, first + count) of a line, zeros too. What is stored at one place more than once adds up.
  virtual Elements read(uint64_t line, uint64_t first, uint64_t count) const = 0;
  // That these lines are going to be read: those that take a pass over the matrix take one together.
  virtual void expect(std::span<const uint64_t>) const {}
  // Whether the next line that was not read yet takes a pass over the matrix.
  virtual bool is_costly() const { return false; }
  // Of each line how many characters more its elements take in a .csv than as many zeros would, by one pass
  // over the matrix; nullopt where that does not tell (a place that is stored twice).
  virtual std::optional<std::vector<int64_t>> measure() const = 0;

 private:
  const DType dtype_;
  const uint64_t count_;
  const uint64_t length_;
};
using MatrixLinesPtr = std::shared_ptr<const MatrixLines>;

// Along the side by which the matrix is compressed, a line is where its pointers say. The first one across it
// that is asked for takes a pass; for the next ones the entries are put in order (column_order.h), where the
// cache has room for all of them, and each takes a pass of its own where it has not. Requires: the matrix has
// its three lists. Reads the pointers; throws as SparseMajors does, and unsupported where it holds no
// numbers.
MatrixLinesPtr sparse_lines(const SparseMatrix& matrix, bool are_rows, Context& context);

// Along an axis of an array of rank 2, in the axes as stored: 0 for lines that lie one behind another.
MatrixLinesPtr dense_lines(ArrayPtr values, size_t axis, Context& context);

// One line, of rank 1; and several beside each other as columns, of rank 2. Requires: all below
// lines->count(), at least one.
ArrayPtr line_array(MatrixLinesPtr lines, uint64_t line);
ArrayPtr lines_array(MatrixLinesPtr lines, std::vector<uint64_t> which);

}  // namespace plainfs
