// Files of pandas' HDFStore and to_hdf: a frame or a series in a group of PyTables, of the fixed or of the
// table format. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::hdfstore {

// Returns a group with the attribute pandas_type as a table, with its members as parts. Reads the names of
// columns, which the fixed format stores in arrays. A group of an unknown layout stays plain, with a notice.
std::optional<Node> refine(const Node& node, Context& context);

}  // namespace plainfs::hdfstore
