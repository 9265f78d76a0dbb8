// The text of netCDF: variables of single characters with a last axis that runs along a text. Facts and their
// sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::chartext {

// Returns an array of single characters with its texts, of one axis less, as labels. Nullopt for any other
// node, and if the last axis is not known to run along a text. Reads the attributes of such an array.
std::optional<Node> refine(const Node& node, Context& context);

}  // namespace plainfs::chartext
