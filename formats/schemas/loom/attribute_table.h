// row_attrs and col_attrs as tables with a row for each gene or cell.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::loom {

// Returns a table of the attributes with one element or one row of elements for each of rows, by name. Others
// are left out with a warning. An attribute of two dimensions becomes a column of compounds with members
// called 1, 2, …, so that a table shows NAME.1, NAME.2. Reads no data.
Table attribute_table(const Group& attributes, uint64_t rows, Context& context);

}  // namespace plainfs::loom
