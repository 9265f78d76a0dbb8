// The meaning of what pandas writes with HDFStore and to_hdf: a frame or a series in a group of PyTables, of
// the fixed or of the table format. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>

#include "formats/core/model/store.h"

namespace plainfs::hdfstore {

// A group with the attribute pandas_type as a table, with its members as parts. Reads the names of columns,
// which the fixed format keeps in arrays. A group of a layout that is not known stays plain, with a notice.
std::optional<Node> refine(const Node& node, Context& context);

}  // namespace plainfs::hdfstore
