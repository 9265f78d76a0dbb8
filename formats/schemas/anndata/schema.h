// AnnData and MuData, in HDF5 and Zarr alike, and their elements wherever they stand: data frames,
// categoricals, nullable and awkward arrays, compressed matrices. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/store.h"

namespace plainfs::anndata {

// A group that is one of these, with its meaning; nullopt for any other node.
std::optional<Node> refine(const Node& node, Context& context);

// What an AnnData or MuData holds, in numbers and names, under `anndata` or `mudata`.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::anndata
