// The meaning of a MATLAB file of version 7.3, which is HDF5: its variables as MATLAB has them. Facts and
// their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::matlab {

// The root of an HDF5 file whose user block is that of MATLAB, or that has a user block and variables with a
// class of MATLAB's. Reads the user block and, to list a group, the attributes of its members and the
// references in cells.
std::optional<Node> refine(const Node& node, Context& context);

// The version that the user block gives.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::matlab
