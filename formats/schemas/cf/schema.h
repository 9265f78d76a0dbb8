// CF data: groups of arrays with named dimensions, in Zarr (xarray, NCZarr), NetCDF-4 and NetCDF classic.
#pragma once

#include "formats/core/model/store.h"

namespace plainfs::cf {

// Returns the group under a CfGroup (formats/core/cf/dataset.h), which looks for named dimensions of its
// arrays when it is first listed. Reads nothing. A Zarr group has HDMF's links and references too.
std::optional<Node> refine(const Node& node, Context& context);

}  // namespace plainfs::cf
