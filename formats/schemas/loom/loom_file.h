// What the members of one loom file share: how many genes and cells there are, and how they are called.
#pragma once

#include <optional>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/schemas/loom/names.h"

namespace plainfs::loom {

struct LoomFile {
  uint64_t rows = 0;
  uint64_t columns = 0;
  GroupPtr row_attrs, col_attrs;
  Names row_names, column_names;
};

// nullopt where the group is none. Reads no data.
std::optional<LoomFile> loom_file_in(const Group& group);

// values (the matrix or a layer) with the names of the sides that they fit.
LabelledArray labelled(const LoomFile& file, ArrayPtr values);

// A graph of edges a, b with the weights w between the rows, or the columns, that names name; nullopt where
// the group is none.
std::optional<CoordinateMatrix> graph_in(const Group& group, uint64_t nodes, const ArrayPtr& names);

}  // namespace plainfs::loom
