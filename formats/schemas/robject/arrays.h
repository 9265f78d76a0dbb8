// Arrays derived from R's vectors.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/containers/rds/value.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs::robject {

// Returns a vector in more dimensions, column-major. shape: in stored order (the last axis runs fastest),
// which is R's dimensions in reverse. Requires: the product of shape is the vector's length.
ArrayPtr reshaped(ArrayPtr vector, Shape shape);

// Returns a column of a column-major matrix of rank 2, as from reshaped().
ArrayPtr column_of(ArrayPtr matrix, uint64_t column);

// Returns each of values repeated: the elements of run r end before ends[r]. Requires: as many values as
// ends.
ArrayPtr run_lengths(ArrayPtr values, std::vector<uint64_t> ends);

// Returns count times TRUE.
ArrayPtr all_true(uint64_t count);

// Returns the column (or row) of each entry of compressed columns (or rows), from their pointers.
ArrayPtr majors_of(ArrayPtr pointer, uint64_t entries);

}  // namespace plainfs::robject
