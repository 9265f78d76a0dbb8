// The entries of a dense matrix as a sparse one, for files that hold only those: found when they are read,
// after one pass that counts them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/core/base/half.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// Whether a value of a dense matrix is none of its entries.
inline bool is_zero(Half value) {
  return to_float(value) == 0;
}
template <class T>
bool is_zero(T value) {
  return value == 0;
}

// Where the entries of each cell begin, and last how many there are. A survey of the array, made by the first
// of the text and the files that want it.
struct EntriesByCell {
  std::vector<uint64_t> pointer;  // cells + 1
};
// Its key (Array::survey): whether users see the cells as rows or as columns.
inline uint64_t entries_key(bool cells_are_rows) {
  return cells_are_rows;
}

// Of a matrix of genes by cells (matrix.matrix is set): by column, a cell a column, what is zero left out, -0
// too; NaN and missing values are entries. The names are those of matrix. Goes through all values, unless it
// is known how many entries each cell has; throws what reading them throws, and unsupported where they are no
// numbers. beside: lives as long as the entries.
SparseMatrix entries_of(const LabelledArray& matrix, Context& context,
                        std::shared_ptr<const void> beside = nullptr);

}  // namespace plainfs
