// OME-Zarr (NGFF): groups that are an image in several sizes, in Zarr of version 2 and 3. Facts and their
// sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/store.h"

namespace plainfs::ome {

// Returns a group with multiscales as its image. Its members are unchanged.
std::optional<Node> refine(const Node& node, Context& context);

// Adds the version and a summary of an image, a plate, a well or a collection of series at the root.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::ome
