// A matrix that is stored by row as one by column, for files that have no other order. Where the entries of
// each column begin is counted once; the entries themselves are put in order when they are read, in bands of
// as many as a part of the cache holds, each band by a pass over what is stored.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// The same matrix by column: in each column the rows rise, and entries that stand at one place keep their
// order. Reads all indices to count them. Requires: by_row is set, the values are numbers or truth values.
// Throws as SparseMajors does, damaged where an index lies outside of the matrix, and unsupported where there
// are too many columns for the memory there is. Reading a value reads all values and indices, an index all
// indices, once for each band while the cache holds it.
SparseMatrix by_column(const SparseMatrix& matrix, Context& context);

}  // namespace plainfs
