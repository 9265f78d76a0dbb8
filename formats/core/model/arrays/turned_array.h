// Transposed matrices and arrays.
#pragma once

#include "formats/core/model/arrays/array.h"

namespace plainfs {

// Returns the array with its axes reversed: element (i, j) of `array`, as users see it, becomes (j, i). The
// result is not column-major. For a column-major array the bytes are the same.
ArrayPtr with_reversed_axes(const ArrayPtr& array);

// Returns the array in C order of the shape that users see. Not column-major.
ArrayPtr in_row_order(const ArrayPtr& array);

// Returns the array with a C order that runs down the columns first, like R's arrays.
ArrayPtr in_column_order(const ArrayPtr& array);

}  // namespace plainfs
