// Columns of several tables, one after another.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::annotated {

// The values of one table, or null if it lacks the column.
struct ColumnPart {
  ArrayPtr values;
  uint64_t rows = 0;
};

// Returns the parts one after another; rows of a table that lacks the column are missing. Numbers have
// NumPy's common type. Factors have the levels of all, in the order of first appearance; of ordered factors
// with different levels, and of values of different kinds, only the text is kept, with a notice. place:
// "obs/cluster". Reads the levels of factors. Requires: at least one part has values.
ArrayPtr joined_values(const std::vector<ColumnPart>& parts, const std::string& place, Context& context);

// Returns the names of the columns that all tables have, or if is_outer is set, that any has, in the order of
// first appearance.
std::vector<std::string> joined_names(const std::vector<const Table*>& tables, bool is_outer);

// Returns these columns, joined.
std::vector<Column> joined_columns(const std::vector<const Table*>& tables, bool is_outer,
                                   const std::string& place, Context& context);

}  // namespace plainfs::annotated
