// Samples of the numbers of a store, for pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {

// Returns columns [first, first + columns) of every step-th row of a numeric array, in the order users see
// it. An array of rank 1 has one column. Missing values are NaN. Reads all rows on the way if they are
// chunked. Requires: dtype().is_numeric(), step > 0, the columns exist.
std::vector<double> sampled_rows(const Array& values, uint64_t rows, uint64_t step, uint64_t first,
                                 uint64_t columns);

// Returns the spots of a line through the values, starting at x = first, one step apart. More than `most`
// values are reduced to the minimum and maximum of each of `most` stretches.
std::vector<Spot> envelope(const std::vector<double>& values, double first, double step, uint64_t most);

}  // namespace plainfs::serve
