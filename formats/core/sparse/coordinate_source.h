// A coordinate matrix along its columns, with the result of R's Matrix for as(x, "CsparseMatrix"). Entries at
// the same position are added (truth values: true if any is). A symmetric matrix gets both triangles.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/entry_source.h"

namespace plainfs {

// Returns a source with the columns as majors. Reading throws damaged if the lists differ in length or an
// entry lies outside of the matrix, and unsupported if a sum of integers overflows.
EntrySourcePtr coordinate_source(const CoordinateMatrix& matrix);

// Returns the matrix by column, with the names of `matrix`. It is read when it is evaluated.
SparseMatrix by_columns(const CoordinateMatrix& matrix, Context& context);

}  // namespace plainfs
