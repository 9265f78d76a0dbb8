// How numbers of cells are spread, over all and by the levels of a column.
#pragma once

#include <string>
#include <vector>

#include "fs/serve/cell_colour.h"
#include "fs/serve/page_model.h"

namespace plainfs::serve {

// Returns a row for each level of by, the highest mean first; for a colour of levels the number of cells of
// each of these. At most kMostLevelRows rows. Cells without a value count as cells, and for nothing else.
Distribution distribution_of(const CellColour& colour, const std::string& by_name, const CellGroups& by);

// Returns the histogram of a colour's numbers. Requires: it has numbers.
Figure histogram_of(const CellColour& colour);

inline constexpr size_t kMostLevelRows = 60;

}  // namespace plainfs::serve
