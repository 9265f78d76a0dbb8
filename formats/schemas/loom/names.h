// The attributes that name the rows (genes) and the columns (cells) of a loom file. The format defines no
// index; these are conventions.
#pragma once

#include <string>

#include "formats/core/model/node.h"

namespace plainfs::loom {

// The names of one side.
struct Names {
  ArrayPtr names;           // null = unknown
  ArrayPtr ids;             // Accession beside Gene; null = unknown
  std::string attribute{};  // the attribute that holds the names
};

// Returns the names of the rows. A candidate is one-dimensional text of that length, or cannot be read. The
// order of preference is Gene, var_names, Accession, then the first by name.
Names row_names(const Group& row_attrs, uint64_t rows);
// Returns the names of the columns: CellID, else obs_names, Cell, cell_names, Barcode, else the first
// candidate by name.
Names column_names(const Group& col_attrs, uint64_t columns);

}  // namespace plainfs::loom
