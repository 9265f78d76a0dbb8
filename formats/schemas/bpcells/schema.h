// BPCells' sparse matrices and genomic fragments. Such a group may be a directory, a group of an HDF5 file or
// an object of an .rds file: only its attribute `version` and its arrays matter. The parts are the logical
// arrays, decoded, and any other members of the group.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::bpcells {

// Returns the node as a matrix or as fragments if its version is one that BPCells writes, else nullopt. Reads
// the shape, the storage order and the number of entries. A missing or damaged array is listed and fails on
// use; the others stay readable.
std::optional<Node> refine(const Node& node, Context& context);

}  // namespace plainfs::bpcells
