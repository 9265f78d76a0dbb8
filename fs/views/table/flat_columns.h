// Columns for programs without records: the members of a compound become separate columns.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// Returns the columns of `table`, with a compound replaced by its members, named as in the .csv. Checks
// nothing.
std::vector<Column> member_columns(const Table& table);

// Like member_columns(), but checked: each column has as many elements as the table has rows, and none is a
// compound. Throws damaged if a length differs, and whatever Array::check throws.
std::vector<Column> flat_columns(const Table& table);

// Returns the columns that R can hold: those without NUL in a text or level. Logs each column left out,
// prefixed with `place`. Throws any other error of reading texts.
std::vector<Column> held_by_r(std::vector<Column> columns, const std::string& place, Context& context);
// Like held_by_r(), for a Seurat object, in which column names are unique: later ones of a name get .1, .2,
// and so on.
std::vector<Column> columns_of_r(std::vector<Column> columns, const std::string& place, Context& context);

// Returns table.row_names, checked in the same way; null if missing.
ArrayPtr checked_row_names(const Table& table);

}  // namespace plainfs
