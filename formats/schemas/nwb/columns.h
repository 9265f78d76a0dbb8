// The columns of a DynamicTable: the list with a column's elements, the indices with the end of each row, and
// the texts that its codes represent. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/nested_array.h"
#include "formats/core/model/node.h"

namespace plainfs::nwb {

struct DynamicColumn {
  std::string name;
  RowElements elements;  // without ids
};

// Returns the column called name of a table's group; nullopt if it has no data, or data that are not a list.
// Errors in its indices or labels are found when it is read. Throws if it may or may not have an index. Reads
// no data.
std::optional<DynamicColumn> column_in(const Group& table, const std::string& name, Context& context);

}  // namespace plainfs::nwb
