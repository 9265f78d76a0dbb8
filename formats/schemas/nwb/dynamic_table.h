// A DynamicTable of NWB and hdmf-common: a group whose attribute colnames lists its columns. Also an
// AlignedDynamicTable, whose attribute categories lists tables inside it with as many rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/schemas/nwb/columns.h"

namespace plainfs::nwb {

struct DynamicTable {
  uint64_t rows = 0;
  ArrayPtr ids;  // null = numbers from 0
  std::vector<DynamicColumn> columns;
  std::optional<Error> error;  // set where it is known that the table cannot be shown
};

// The texts of the attribute called name, nullopt where it is neither a list of texts nor a text, which is a
// list of one (MatNWB writes it so). Throws where it cannot be read.
std::optional<std::vector<std::string>> names_in(const Attributes& attributes, std::string_view name);

// nullopt where group is none. A member of colnames without data is left out with a warning. Throws where
// colnames or categories cannot be read. Reads no data.
std::optional<DynamicTable> dynamic_table_in(const Group& group, Context& context);

}  // namespace plainfs::nwb
