// Tables put together of columns that are stored one by one.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// The table of those columns, rows long: one of another length throws damaged when it is used, and so the
// whole table does. How long they have to be is not known where the row names cannot be read. Columns that
// are null or not of rank 1 are left out, which is told of with place ("/obs").
Table table_of(uint64_t rows, ArrayPtr row_names, std::vector<Column> columns, const std::string& place,
               Context& context);

}  // namespace plainfs::frames
