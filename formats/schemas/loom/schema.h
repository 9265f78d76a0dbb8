// Loom files: a matrix of genes by cells with its names, its layers, attribute tables and graphs. Facts and
// their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::loom {

// Returns a loom file, which is a group with a matrix of two dimensions and the groups row_attrs and
// col_attrs. Reads no data.
std::optional<Node> refine(const Node& node, Context& context);

// Adds the matrix's size and type, layers, attributes and graphs.
void describe(const Node& raw_root, Store& store);

}  // namespace plainfs::loom
