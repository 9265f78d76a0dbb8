// Files of SeuratDisk: data frames, factors, logicals, missing values, sparse and dense matrices with the
// names of their rows and columns, all in R's column-major order. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::h5seurat {

// Returns the root of an h5Seurat file (attributes project, active.assay and version) with a group that gives
// its members their meaning; nullopt for any other node. Groups that BPCells wrote are unchanged, for
// BPCells' own schema.
std::optional<Node> refine(const Node& node, Context& context);

// Adds the contents of SeuratDisk's index(): the default assay, the number of cells, the slots of each assay,
// the parts of each reduction, graphs and images.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::h5seurat
