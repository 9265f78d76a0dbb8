// A Seurat object of annotated matrices, as CreateSeuratObject makes one of the same parts.
#pragma once

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "formats/core/model/seurat_object.h"
#include "fs/native/column_matrix.h"

namespace plainfs {

// matrices: for what counts the cells' counts, and for the object's writer. Reads all names, and what
// seurat_matrices() reads. What has no place in an object is told of. Throws unsupported where R could not
// have the object, damaged where parts do not fit.
SeuratObject seurat_object(const JointMatrices& joint, ColumnMatrices& matrices, Context& context);

}  // namespace plainfs
