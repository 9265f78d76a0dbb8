// An annotated matrix as AnnData's .h5ad in the encoding of anndata 0.8, which all later versions read.
#pragma once

#include "formats/core/model/annotated_matrix.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// Looks at the lengths of all texts, and for missing values in the tables.
ByteLayout h5ad(const AnnotatedMatrix& matrix, Context& context);

}  // namespace plainfs
