// Arrays made of R's vectors.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/containers/rds/value.h"
#include "formats/core/model/array.h"

namespace plainfs::robject {

// A vector in more dimensions: shape is that of the stored order (the last runs fastest), so R's dimensions
// in reverse; column-major. Requires: the product of shape is the vector's length.
ArrayPtr reshaped(ArrayPtr vector, Shape shape);

// One column of a matrix that reshaped() made, or its like: column-major, of rank 2.
ArrayPtr column_of(ArrayPtr matrix, uint64_t column);

// The elements of names, text of rank 1, at those places, which rise.
ArrayPtr selected(ArrayPtr names, std::vector<uint64_t> places);

// Each value as often as ends says: those of run r end before ends[r]. As many values as ends.
ArrayPtr run_lengths(ArrayPtr values, std::vector<uint64_t> ends);

// count times TRUE.
ArrayPtr all_true(uint64_t count);
// first, first + 1, …, as unsigned integers.
ArrayPtr counting(uint64_t count);

// Of each entry of compressed columns (or rows): which one it is in, by their pointers.
ArrayPtr majors_of(ArrayPtr pointer, uint64_t entries);

}  // namespace plainfs::robject
