// 10x Genomics' files: count matrices of both layouts in any group of an HDF5 file, the molecules of a
// molecule_info.h5, and the Zarr stores of a Xenium run. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::tenx {

std::optional<Node> refine(const Node& node, Context& context);

// Adds the numbers of features, barcodes and counts of each matrix at the root, or the number of molecules.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::tenx
