// The tables of NWB and hdmf-common, in HDF5 and Zarr: every group with an attribute colnames. Facts and
// their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/store.h"

namespace plainfs::nwb {

// Returns a table beside its group. The ragged columns in the group also show the rows of their elements.
std::optional<Node> refine(const Node& node, Context& context);

// Adds the version of an NWB file, and the rows and columns of its common tables.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::nwb
