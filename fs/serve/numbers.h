// Numbers of a store as pictures take them: some of them, from one end to the other.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/model/array.h"

namespace plainfs::serve {

// Of every step-th row of an array of numbers, seen as users see it, the values of its columns [first, first
// + columns); of rank 1 the values themselves (columns is 1). Missing ones are NaN. Reads all rows on the way
// where they are in chunks. Requires: dtype().is_numeric(), step > 0, the columns are there.
std::vector<double> sampled_rows(const Array& values, uint64_t rows, uint64_t step, uint64_t first,
                                 uint64_t columns);

// What lies at such a part of the finite ones, 0 to 1: {low, high}. {0, 0} where there are none.
struct ValueRange {
  double low = 0;
  double high = 0;
};
ValueRange range_of(std::vector<double> values, double cut);

}  // namespace plainfs::serve
