// The numbers of genes and cells of a loom file and their names, shared by its members.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::loom {

// The names of the rows (genes) or of the columns (cells).
struct Names {
  ArrayPtr names;           // null = unknown
  ArrayPtr ids;             // Accession beside Gene; null = unknown
  std::string attribute{};  // the attribute that holds the names
};

struct LoomFile {
  uint64_t rows = 0;
  uint64_t columns = 0;
  GroupPtr row_attrs, col_attrs;
  Names row_names, column_names;
};

// Returns the loom file in a group; nullopt if it holds no loom file. Reads no data.
std::optional<LoomFile> loom_file_in(const Group& group);

// Returns values (the matrix or a layer) with the names of the sides that fit.
LabelledArray labelled(const LoomFile& file, ArrayPtr values);

// Returns a graph of edges a, b with the weights w between the rows or columns that names lists; nullopt for
// any other group.
std::optional<CoordinateMatrix> graph_in(const Group& group, uint64_t nodes, const ArrayPtr& names);

}  // namespace plainfs::loom
