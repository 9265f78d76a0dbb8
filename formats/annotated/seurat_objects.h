// Which groups a Seurat object can be made of: what has an annotated matrix, several of the same cells in a
// MuData, and what is a Seurat object in its own right.
#pragma once

#include <functional>
#include <optional>
#include <variant>

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "formats/core/model/seurat_object.h"

namespace plainfs {

// Made when it is called; throws where a part that it needs cannot be read.
using FoundSeuratObject = std::variant<std::function<JointMatrices()>, std::function<SeuratObject()>>;

// Of a directory, refined; reads no data. Of a MuData whose modalities have other numbers of cells there is
// none.
std::optional<FoundSeuratObject> find_seurat_object(const Node& directory, Context& context);

}  // namespace plainfs
