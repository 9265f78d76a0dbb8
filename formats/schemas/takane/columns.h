// A basic column of a data frame: a dataset (integer, boolean, number, string) or a group (factor, and from
// version 1.1 vls) of basic_columns.h5, with its type and its missing values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::takane {

struct BasicColumn {
  // The members of data_frame/ for the column: the values, and the raw parts of a factor. An Error if a
  // broken rule leaves no values to show.
  std::vector<Member> members;
  ArrayPtr values;             // null if error is set
  std::optional<Error> error;  // why the table cannot be shown
};

struct ColumnPlace {
  std::string name;              // of the column
  std::string path;              // "/data_frame/x", for messages
  std::optional<uint64_t> rows;  // of the data frame, if known
  bool vls_allowed = true;       // version 1.1 and later
};

// Opens a column. A column that breaks a rule has an error instead of throwing.
BasicColumn open_basic_column(const Node& stored, const ColumnPlace& place, Context& context);

// String columns with text that differs from the stored elements.

// Returns fixed-length strings in takane's sense: they end at the first NUL, and trailing blanks belong to
// them whatever the HDF5 padding. Other arrays are returned unchanged.
ArrayPtr nul_terminated(ArrayPtr values);

// Returns a variable-length string column ("vls", from version 1.1): element i is heap[offset, offset +
// length), cut at the first NUL. pointers: compound {offset, length}, rank 1; heap: uint8, rank 1. Pointers
// may overlap, leave gaps and come in any order. read() throws damaged if one points outside the heap.
ArrayPtr vls_text(ArrayPtr pointers, ArrayPtr heap);

}  // namespace plainfs::takane
