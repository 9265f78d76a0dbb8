// The file of -o cells=: a .csv with a header and the names of cells in the first column, like obs.csv.
#pragma once

#include <string>

#include "formats/core/model/contents/cell_table.h"

namespace plainfs {

// Reads the file. A column is numeric if all its values are numbers in plainfs's own format, otherwise text.
// NA and an empty field without quotes are missing values. Throws Failure, with the option in the message.
CellTablePtr read_cells_file(const std::string& path);
// Parses the text of such a file. Throws damaged.
CellTable cell_table(std::string_view text);

}  // namespace plainfs
