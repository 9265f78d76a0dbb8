// A matrix whose entries each say where they stand, along its columns: what R's Matrix makes of it by
// as(x, "CsparseMatrix"). Entries at one place are one, their sum (of truth values: whether any is true), and
// of a symmetric matrix there are both triangles.
#pragma once

#include "formats/core/algebra/entry_source.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// Its majors are the columns. Throws, when it is read, damaged if the lists differ in length or an entry lies
// outside the matrix, and unsupported if a sum of integers overflows.
EntrySourcePtr coordinate_source(const CoordinateMatrix& matrix);

// The matrix by column, with the names of matrix; it is read when it is evaluated.
SparseMatrix by_columns(const CoordinateMatrix& matrix, Context& context);

}  // namespace plainfs
