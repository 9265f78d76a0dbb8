// A DynamicTable of NWB and hdmf-common: a group with an attribute colnames that lists its columns. Also an
// AlignedDynamicTable, with an attribute categories that lists tables inside it with as many rows. Facts
// and their sources: FORMAT.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/arrays/nested_array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::nwb {

// A column: the list with its elements, the indices with the end of each row, and the texts that its codes
// represent.
struct DynamicColumn {
  std::string name;
  RowElements elements;  // without ids
};

struct DynamicTable {
  uint64_t rows = 0;
  ArrayPtr ids;  // null = numbers from 0
  std::vector<DynamicColumn> columns;
  std::optional<Error> error;  // set if the table is known to be unusable
};

// Returns the texts of the attribute called name; nullopt unless it is a list of texts or a text, which is a
// list of one (MatNWB writes it so). Throws if it cannot be read.
std::optional<std::vector<std::string>> names_in(const Attributes& attributes, std::string_view name);

// Returns the table in a group; nullopt for any other group. A member of colnames without data is left out
// with a warning. Throws if colnames or categories cannot be read. Reads no data.
std::optional<DynamicTable> dynamic_table_in(const Group& group, Context& context);

}  // namespace plainfs::nwb
