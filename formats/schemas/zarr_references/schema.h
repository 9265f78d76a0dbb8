// Links and references in Zarr stores, in the attributes that HDMF gives them (hdmf-zarr: NWB and hdmf-common
// files), with its tables of records and text stored as bytes. They hold for any Zarr store: other schemas
// refine its nodes by them. FORMAT.md lists them.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::zarr_references {

// Returns a node of a Zarr store, refined with everything below it; nullopt for any other node.
std::optional<Node> refine(const Node& node, Context& context);

// Returns whether the group belongs to a Zarr store, as stored or as refine() returns it.
bool is_of_zarr(const Group& group);

}  // namespace plainfs::zarr_references
