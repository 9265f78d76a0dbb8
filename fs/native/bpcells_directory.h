// A sparse matrix as the directory of BPCells, unpacked, in its version 2: what open_matrix_dir reads.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// Values are uint where they are whole numbers that fit, which is looked for where their type does not say
// so, else float or double. In each column (row, of a matrix stored by row) the indices rise, which BPCells
// relies on. Names that do not fit are left out. Reading throws damaged where the parts do not fit or an
// entry is there twice, and unsupported where BPCells has no such value or name.
ListMade bpcells_directory(const SparseMatrix& matrix, Context& context);

}  // namespace plainfs
