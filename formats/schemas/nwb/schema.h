// The meaning of NWB's and hdmf-common's tables, in HDF5 and Zarr alike: every group with an attribute
// colnames. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/store.h"

namespace plainfs::nwb {

// A table beside its group; the ragged columns in it also tell which rows their elements belong to.
std::optional<Node> refine(const Node& node, Context& context);

// Of an NWB file: its version, and the rows and columns of the tables that most have.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::nwb
