// Which attributes name the rows (genes) and the columns (cells) of a loom file: the format defines no index,
// only habits.
#pragma once

#include <string>

#include "formats/core/model/node.h"

namespace plainfs::loom {

struct Names {
  ArrayPtr names;           // null = none
  ArrayPtr ids;             // Accession beside Gene; null = none
  std::string attribute{};  // that the names are of
};

// A candidate counts where it is one-dimensional text of that length, or cannot be read. Of row_attrs: Gene,
// else var_names, Accession, else the first by name.
Names row_names(const Group& row_attrs, uint64_t rows);
// Of col_attrs: CellID, else obs_names, Cell, cell_names, Barcode, else the first by name.
Names column_names(const Group& col_attrs, uint64_t columns);

}  // namespace plainfs::loom
