// The meaning of OME-Zarr (NGFF): groups that are an image in several sizes, in Zarr of version 2 and 3.
// Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/store.h"

namespace plainfs::ome {

// A group with multiscales as the image that it is; its members stay what they are.
std::optional<Node> refine(const Node& node, Context& context);

// Of an image, a plate, a well or a collection of series at the root: its version and what there is of it.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::ome
