// AnnData and MuData, in HDF5 and Zarr, and their elements in any group: data frames, categoricals, nullable
// and awkward arrays, compressed matrices. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/store.h"

namespace plainfs::anndata {

// Returns such a group with its meaning; nullopt for any other node.
std::optional<Node> refine(const Node& node, Context& context);

// Adds the numbers and names of what an AnnData or MuData holds, under `anndata` or `mudata`.
void describe(const Node& raw_root, Store& store);

// Returns the names of the modalities: those that mod-order lists in its order, then the others. mod: a
// MuData's group of that name.
std::vector<std::string> modalities_of(const Group& mod);

}  // namespace plainfs::anndata
