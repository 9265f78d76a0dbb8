// The entries of a dense matrix as a sparse one, for files that hold only those: found when they are read,
// after one pass that counts them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "formats/base/half.h"
#include "formats/model/context.h"
#include "formats/model/node.h"
#include "fs/text/findings.h"

namespace plainfs {

// Whether a value of a dense matrix is none of its entries.
inline bool is_zero(Half value) {
  return to_float(value) == 0;
}
template <class T>
bool is_zero(T value) {
  return value == 0;
}

// Where the entries of each cell begin, and last how many there are: noted of the array (fs/text/findings.h),
// so that of the text and the files that want it only the first counts. Cells are the rows or the columns
// that users see. count() gives the entries of each cell. Throws unreadable where what was noted does not
// fit.
FindingPtr cell_pointer(const Array& values, bool cells_are_rows, uint64_t cells,
                        const std::function<std::vector<uint64_t>()>& count);

// Of a matrix of genes by cells (matrix.matrix is set): by column, a cell a column, what is zero left out, -0
// too; NaN and missing values are entries. The names are those of matrix. Goes through all values, unless it
// is known how many entries each cell has; throws what reading them throws, and unsupported where they are no
// numbers.
SparseMatrix entries_of(const LabelledArray& matrix, Context& context);

}  // namespace plainfs
