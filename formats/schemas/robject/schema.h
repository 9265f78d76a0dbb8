// The meaning of an R object in a file: vectors, factors, data frames, lists; the matrices of the package
// Matrix; Seurat objects with the tree of h5Seurat, SingleCellExperiments with that of takane's, by name;
// BPCells objects. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::robject {

// The root of an R file as what its value is; what stands in it already has its meaning and stays as it is.
// Nullopt for any other node.
std::optional<Node> refine(const Node& node, Context& context);

// The object's class, and what a Seurat object or an experiment has.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::robject
