// SpatialData: a Zarr hierarchy of images and labels (OME-Zarr), tables (AnnData), and points and shapes,
// which are Parquet files in their groups. Other schemas interpret its parts; this one lists them, and
// shows the tables of points and shapes. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::spatialdata {

// Returns an element that has Parquet files with their tables beside them. Returns nullopt for every other
// node.
std::optional<Node> refine(const Node& node, Context& context);

// Adds the names of the elements of each kind, the elements that each table annotates, and the coordinate
// systems.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::spatialdata
