// MATLAB files of version 7.3, which are HDF5: their variables as MATLAB has them. Facts and their sources:
// FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::matlab {

// Returns the root of an HDF5 file with MATLAB's user block, or with any user block and variables that have a
// MATLAB class. Reads the user block and, to list a group, the attributes of its members and the references
// in cells.
std::optional<Node> refine(const Node& node, Context& context);

// Adds the version of the format.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::matlab
