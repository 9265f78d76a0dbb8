// The entries of a dense matrix as a sparse one, for files that hold only those. They are found on read,
// after one pass that counts them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/core/base/half.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// Returns whether a value of a dense matrix is zero and therefore not an entry.
template <class T>
bool is_zero(T value) {
  return plain_number(value) == 0;
}

// The index of the first entry of each cell, and last the number of entries. A survey of the array, made once
// for all texts and files that need it.
struct EntriesByCell {
  std::vector<uint64_t> pointer;  // cells + 1
};
// Returns the key of the survey (Array::survey): whether users see the cells as rows or as columns.
inline uint64_t entries_key(bool cells_are_rows) {
  return cells_are_rows;
}

// Returns a matrix of genes by cells (matrix.matrix is set): by column, one column per cell, with the names
// of `matrix`. Zeros are left out, including -0; NaN and missing values are entries. Reads all values unless
// the number of entries of each cell is known. Throws the errors of reading, and unsupported if the values
// are not numbers. beside: an object that lives as long as the entries.
SparseMatrix entries_of(const LabelledArray& matrix, Context& context,
                        std::shared_ptr<const void> beside = nullptr);

}  // namespace plainfs
