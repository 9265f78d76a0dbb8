// The columns of a DynamicTable: which list holds a column's elements, which indices say where each row's
// end, and which texts its codes stand for. Facts and their sources: FORMAT.md.
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

// The column called name of a table's group; nullopt where it has no data, or data that are no list. What is
// wrong with its indices or labels is found when it is read. Throws where it cannot be known whether it
// has an index. Reads no data.
std::optional<DynamicColumn> column_in(const Group& table, const std::string& name, Context& context);

}  // namespace plainfs::nwb
