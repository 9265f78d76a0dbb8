// HDMF's meaning of a Zarr store (hdmf-zarr: NWB and hdmf-common files): links, references, tables of records
// and text held as bytes. Its rules hold in any Zarr store, wherever these attributes stand; FORMAT.md beside
// this lists them.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::hdmf {

// A node of a Zarr store, refined with all that is below it; nullopt for every other node.
std::optional<Node> refine(const Node& node, Context& context);

// Whether the group is one of a Zarr store, as it is stored or as refine() has it.
bool is_of_zarr(const Group& group);

}  // namespace plainfs::hdmf
