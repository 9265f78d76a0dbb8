// The meaning of 10x Genomics' HDF5 files: count matrices of both layouts, wherever such a group stands, and
// the molecules of a molecule_info.h5. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::tenx {

std::optional<Node> refine(const Node& node, Context& context);

// How many features, barcodes and counts each matrix at the root has, or how many molecules there are.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::tenx
