// The distribution of a value over cells, in total and by the levels of a column.
#pragma once

#include <string>

#include "fs/serve/pages/cells/cell_colour.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

inline constexpr size_t kMaxLevelRows = 60;

// Returns a row for each level of `by`, the highest mean first and levels without a value last, and a row for
// the cells without a level, if there are any. If the colour has levels, a row counts the cells of each of
// those, in the order of the levels of `by`. Of more than kMaxLevelRows levels it has those with the highest
// means, or with the most cells. Only values that are neither missing nor infinite are numbers.
Distribution distribution_of(const CellColour& colour, const std::string& by_name, const CellGroups& by);

// Returns the numbers of each level in the order of the levels, and of more than kMaxLevelRows levels of
// those with the most cells. Requires: the colour has numbers.
Distribution distribution_in_order(const CellColour& colour, const std::string& by_name,
                                   const CellGroups& by);

// Returns the histogram of the colour's numbers. Requires: it has numbers.
Figure histogram_of(const CellColour& colour);

}  // namespace plainfs::serve
