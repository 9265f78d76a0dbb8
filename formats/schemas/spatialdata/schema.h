// SpatialData: a Zarr hierarchy of images and labels (OME-Zarr), tables (AnnData), and points and shapes,
// which are Parquet files in their groups. Its parts have their meaning by other schemas; this one names what
// is there. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::spatialdata {

// nullopt for every node.
std::optional<Node> refine(const Node& node, Context& context);

// The names of the elements of each kind, which elements a table annotates, and the coordinate systems.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::spatialdata
