// row_attrs and col_attrs as tables: a gene, a cell a row.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::loom {

// Every attribute with one element or one row of elements for each of rows, by name; what has not is left out
// with a warning. One of two dimensions becomes a column of compounds, its members called 1, 2, …, so that a
// table shows NAME.1, NAME.2. Reads no data.
Table attribute_table(const Group& attributes, uint64_t rows, Context& context);

}  // namespace plainfs::loom
