// The distribution of a value over cells, in total and by the levels of a column.
#pragma once

#include <string>
#include <vector>

#include "fs/serve/cell_colour.h"
#include "fs/serve/page_model.h"

namespace plainfs::serve {

// Returns a row for each level of `by`, the highest mean first, at most kMostLevelRows. If the colour has
// levels, a row counts the cells of each of those. A cell without a value is only counted as a cell.
Distribution distribution_of(const CellColour& colour, const std::string& by_name, const CellGroups& by);

// Returns the histogram of the colour's numbers. Requires: it has numbers.
Figure histogram_of(const CellColour& colour);

inline constexpr size_t kMostLevelRows = 60;

}  // namespace plainfs::serve
