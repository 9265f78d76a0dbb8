// The rows or columns of a matrix, one at a time: a gene in all cells, or a cell with all genes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

struct FoundEntries;  // formats/core/sparse/line_order.h

// Returns for each of the elements how many more characters its text has than that of a zero.
using ExtraWidths = std::function<std::vector<int8_t>(const Elements&)>;

// All lines of one direction. Thread-safe. Functions that read throw the matrix's own error and the errors of
// reading its parts.
class MatrixLines {
 public:
  MatrixLines(DType dtype, uint64_t count, uint64_t length)
      : dtype_(std::move(dtype)), count_(count), length_(length) {}
  virtual ~MatrixLines() = default;
  MatrixLines(const MatrixLines&) = delete;
  MatrixLines& operator=(const MatrixLines&) = delete;

  const DType& dtype() const { return dtype_; }  // as stored
  uint64_t count() const { return count_; }
  uint64_t length() const { return length_; }  // elements per line

  // Returns elements [first, first + count) of a line, including zeros. Duplicate entries are added up.
  virtual Elements read(uint64_t line, uint64_t first, uint64_t count) const = 0;
  // Announces that these lines will be read, so that lines that need a pass over the matrix share one.
  virtual void expect(std::span<const uint64_t>) const {}
  // Sorts the entries if later lines would be read faster from them and there are at most that many. Takes a
  // pass over the matrix at most, and none when it is called again.
  virtual void sort_ahead(uint64_t) const {}
  // Returns whether the next line that was not read yet takes a pass over the matrix.
  virtual bool is_costly() const { return false; }
  // Returns for each line how many more characters its elements take in a text than as many zeros would, by
  // one pass over the matrix; nullopt if that cannot be computed (duplicate entries). widths: called by
  // several threads.
  virtual std::optional<std::vector<int64_t>> measure(const ExtraWidths& widths) const = 0;
  // Returns how many entries of each line are stored, by a pass over the matrix; nullopt if the lines store
  // all of their elements, or if several entries may share a place.
  virtual std::optional<std::vector<uint64_t>> count_entries() const { return std::nullopt; }
  // Calls visit(entries) for the stored entries of lines [first, first + count), some at a time, in this
  // thread, while others read the next. Takes a pass over the matrix unless its entries are sorted. Requires:
  // count_entries() has returned counts.
  virtual void visit_entries(uint64_t, uint64_t, const std::function<void(const FoundEntries&)>&) const {}

 private:
  const DType dtype_;
  const uint64_t count_;
  const uint64_t length_;
};
using MatrixLinesPtr = std::shared_ptr<const MatrixLines>;

// Returns the rows or columns of a sparse matrix. Along the compressed axis, the pointers give each line.
// Across it, the first line takes a pass. For later ones the entries are sorted (line_order.h) if the cache
// or the disk has room for all of them; otherwise each line takes a pass. Requires: the matrix has its three
// lists. Reads the pointers. Throws like SparseMajors, and unsupported if the matrix does not hold numbers.
MatrixLinesPtr sparse_lines(const SparseMatrix& matrix, bool are_rows, Context& context);

// Lines along an axis of an array of rank 2, in stored axes: 0 if the lines are contiguous.
MatrixLinesPtr dense_lines(ArrayPtr values, size_t axis, Context& context);

// Return one line, of rank 1, and several lines as columns, of rank 2. Requires: all numbers are below
// lines->count(), and there is at least one.
ArrayPtr line_array(MatrixLinesPtr lines, uint64_t line);
ArrayPtr lines_array(MatrixLinesPtr lines, std::vector<uint64_t> which);

}  // namespace plainfs
