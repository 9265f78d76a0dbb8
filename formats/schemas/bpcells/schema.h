// The meaning of a group that BPCells wrote: a sparse matrix or genomic fragments. The group may be a
// directory, a group of an HDF5 file or an object of an .rds file; all that counts is its attribute `version`
// and its arrays. What the parts list are the logical arrays, decoded, and whatever else the group holds.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::bpcells {

// The node as a matrix or as fragments where its version is one that BPCells writes, else nullopt. Reads the
// shape, the storage order and the number of entries. An array that is missing or damaged is listed and
// fails; the others stay readable.
std::optional<Node> refine(const Node& node, Context& context);

}  // namespace plainfs::bpcells
