// One basic column of a data frame: a dataset (integer, boolean, number, string) or a group (factor, and from
// version 1.1 vls) of basic_columns.h5, with its type and its missing values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/array.h"
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

// String columns whose text is not simply the stored element.

// Fixed-length strings as takane reads them: they end at the first NUL, and trailing blanks belong to them
// whatever the HDF5 padding says. Other arrays are returned as they are.
ArrayPtr nul_terminated(ArrayPtr values);

// A variable-length string column ("vls", from version 1.1): element i is heap[offset, offset + length), cut
// at the first NUL. pointers: compound {offset, length}, rank 1; heap: uint8, rank 1. Pointers may overlap,
// leave gaps and come in any order. read() throws damaged where one leads out of the heap.
ArrayPtr vls_text(ArrayPtr pointers, ArrayPtr heap);

}  // namespace plainfs::takane
