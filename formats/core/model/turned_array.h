// A matrix or array turned round.
#pragma once

#include "formats/core/model/array.h"

namespace plainfs {

// The array with its axes in reverse: what stands at (i, j) of array, as users see it, stands at (j, i). Not
// column-major; of a column-major array these are the same bytes.
ArrayPtr turned_round(const ArrayPtr& array);

// The array so that its C order is that of the shape users see. Not column-major.
ArrayPtr in_row_order(const ArrayPtr& array);

// The array so that its C order goes down the columns first, as R's arrays lie.
ArrayPtr in_column_order(const ArrayPtr& array);

}  // namespace plainfs
