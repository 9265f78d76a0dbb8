// The file of -o cells=: a .csv with a header, whose first column is the names of cells, as obs.csv is.
#pragma once

#include <string>

#include "formats/core/model/cell_table.h"

namespace plainfs {

// A column whose values are all numbers, as they are written here, is of numbers, every other one of texts;
// NA and nothing without quotes are no value. Throws Failure, with the option in the message.
CellTablePtr read_cells_file(const std::string& path);
// The same of the text of such a file. Throws damaged.
CellTable cell_table(std::string_view text);

}  // namespace plainfs
