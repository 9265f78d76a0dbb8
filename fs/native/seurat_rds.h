// A whole Seurat object as an .rds file, as saveRDS(x, compress = FALSE) of R 4.2 writes what Seurat 4.3
// makes of the same parts. Seurat 4 and 5 read it.
#pragma once

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "formats/core/model/seurat_object.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// Of one that a store holds; keys and identities that it does not tell are made as Seurat makes them. Throws
// unsupported where Seurat refuses names, damaged where parts do not fit.
ByteLayout seurat_rds(SeuratObject object, Context& context);

// The same of what an object can be made of (fs/native/seurat_parts.h).
ByteLayout seurat_rds(const JointMatrices& joint, Context& context);

}  // namespace plainfs
