// HDMF's interpretation of a Zarr store (hdmf-zarr: NWB and hdmf-common files): links, references, tables of
// records and text stored as bytes. Its rules apply to these attributes in any Zarr store. FORMAT.md lists
// them.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::hdmf {

// Returns a node of a Zarr store, refined with everything below it; nullopt for any other node.
std::optional<Node> refine(const Node& node, Context& context);

// Returns whether the group belongs to a Zarr store, as stored or as refine() returns it.
bool is_of_zarr(const Group& group);

}  // namespace plainfs::hdmf
