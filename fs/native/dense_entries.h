// The entries of a dense matrix as a sparse one, for files that hold only those: found when they are read,
// after one pass that counts them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "formats/core/base/half.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/findings.h"
#include "fs/text/view_file.h"

namespace plainfs {

// Whether a value of a dense matrix is none of its entries.
inline bool is_zero(Half value) {
  return to_float(value) == 0;
}
template <class T>
bool is_zero(T value) {
  return value == 0;
}

// Where the entries of each cell begin, and last how many there are: what find() gives, noted of the array
// (fs/text/findings.h), so that of the text and the files that want it only the first counts. Cells are the
// rows or the columns that users see. Throws unreadable where what was noted does not fit.
FindingPtr cell_pointer(const Array& values, bool cells_are_rows, uint64_t cells,
                        const std::function<std::vector<uint64_t>()>& find);

// Of a matrix of genes by cells (matrix.matrix is set): by column, a cell a column, what is zero left out, -0
// too; NaN and missing values are entries. The names are those of matrix. Goes through all values, unless it
// is known how many entries each cell has; throws what reading them throws, and unsupported where they are no
// numbers. text: opens the matrix as text, where that is shown; then it is the pass over its lines that
// counts, so that asking for every size takes one, and it stays open as long as the entries.
SparseMatrix entries_of(const LabelledArray& matrix, Context& context,
                        const std::function<std::shared_ptr<ViewFile>()>& text = nullptr);

}  // namespace plainfs
