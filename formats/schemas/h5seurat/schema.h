// The meaning of a file that SeuratDisk wrote: data frames, factors, logicals, missing values, sparse and
// dense matrices with the names of their rows and columns, all in R's column-major order. Facts and their
// sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::h5seurat {

// The root of an h5Seurat file (attributes project, active.assay and version) with a group that refines its
// members itself; nullopt for any other node. Groups that BPCells wrote stay as they are, for its own schema.
std::optional<Node> refine(const Node& node, Context& context);

// What SeuratDisk's index() tells: the default assay, the number of cells, which slots each assay and which
// parts each reduction has, graphs and images.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::h5seurat
