// The text of netCDF: variables of single characters, whose last axis runs along a text. Facts and their
// sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::chartext {

// An array of single characters with its texts, of one axis less, as labels; nullopt for any other node, and
// where the last axis is not known to run along a text. Reads the attributes of such an array, and those of
// its dimension.
std::optional<Node> refine(const Node& node, Context& context);

}  // namespace plainfs::chartext
