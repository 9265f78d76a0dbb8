// The entries of a dense matrix as a sparse one, for files that hold only those: found when they are read,
// after one pass that counts them.
#pragma once

#include "formats/model/context.h"
#include "formats/model/node.h"

namespace plainfs {

// What is noted (fs/text/findings.h) of an array of cells by genes, whose rows are cells: where the entries
// of each cell begin, and last how many there are. Whoever passes over all of it may note it.
inline constexpr const char kEntriesOfRows[] = "dense entries 1";

// Of a matrix of genes by cells (matrix.matrix is set): by column, a cell a column, what is zero left out, -0
// too; NaN and missing values are entries. The names are those of matrix. Goes through all values, unless it
// is known how many entries each cell has; throws what reading them throws, and unsupported where they are no
// numbers.
SparseMatrix entries_of(const LabelledArray& matrix, Context& context);

}  // namespace plainfs
