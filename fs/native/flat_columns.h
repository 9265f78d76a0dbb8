// Columns as programs have them that know no records: a compound's members are columns of their own.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// The columns of table, a compound's members in its place, called as in the .csv. Nothing is checked.
std::vector<Column> member_columns(const Table& table);

// The columns of table, each as long as it has rows and none of them a compound, called as in the .csv.
// Throws damaged where one is not as long, and what Array::check throws.
std::vector<Column> flat_columns(const Table& table);

// Those of the columns that R can hold, without the ones that have a text with a NUL in it, or a level. Logs
// each that is left out, after place. Throws what else reading texts throws.
std::vector<Column> held_by_r(std::vector<Column> columns, const std::string& place, Context& context);
// The same for a Seurat object, whose columns have a name each: a later one of a name gets .1, .2, …
std::vector<Column> columns_of_r(std::vector<Column> columns, const std::string& place, Context& context);

// table.row_names, checked alike; null where there are none.
ArrayPtr checked_row_names(const Table& table);

}  // namespace plainfs
