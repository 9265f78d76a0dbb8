// Finds the groups from which a Seurat object can be made: those with one annotated matrix, a MuData with
// several annotated matrices of the same cells, and stored Seurat objects.
#pragma once

#include <functional>
#include <optional>
#include <variant>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/contents/seurat_object.h"
#include "formats/core/model/context.h"

namespace plainfs {

// A function that makes the object. It throws if a part that it needs cannot be read.
using FoundSeuratObject = std::variant<std::function<JointMatrices()>, std::function<SeuratObject()>>;

// Returns the Seurat object of a refined directory. Reads no data. Nullopt, with a notice, if Seurat cannot
// hold it: without cells, features or a matrix, and for a MuData with modalities that differ in their number
// of cells. A modality that Seurat cannot hold is left out, with a notice.
std::optional<FoundSeuratObject> find_seurat_object(const Node& directory, Context& context);

}  // namespace plainfs
