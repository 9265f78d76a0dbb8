// R objects in files: vectors, factors, data frames, lists, matrices of the package Matrix, Seurat objects,
// SingleCellExperiments, BPCells objects. A Seurat object has the tree of h5Seurat, a SingleCellExperiment
// that of a takane experiment, by name. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::robject {

// Returns the root of an R file as the node of its value. The members already have their meaning and are
// unchanged. Nullopt for any other node.
std::optional<Node> refine(const Node& node, Context& context);

// Adds the object's class, and the contents of a Seurat object or an experiment.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::robject
