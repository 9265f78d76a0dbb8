// One basic column of a data frame: a dataset (integer, boolean, number, string) or a group (factor, and from
// version 1.1 vls) of basic_columns.h5, with its type and its missing values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::takane {

struct BasicColumn {
  // What data_frame/ lists for it: the values, and the raw parts of a factor. An Error where a rule is broken
  // that leaves no values to show.
  std::vector<Member> members;
  ArrayPtr values;             // null where error is set
  std::optional<Error> error;  // why the table cannot be shown
};

struct ColumnPlace {
  std::string name;              // of the column
  std::string path;              // "/data_frame/x", for messages
  std::optional<uint64_t> rows;  // of the data frame, where known
  bool vls_allowed = true;       // version 1.1 and later
};

// Never throws for a column that breaks a rule.
BasicColumn open_basic_column(const Node& stored, const ColumnPlace& place, Context& context);

}  // namespace plainfs::takane
