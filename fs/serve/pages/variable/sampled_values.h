// The values of a variable that a page draws: a plane of two axes, or a line along one. Of a large part only
// every n-th value is read, so that a picture never costs more than a bounded number of chunks.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "fs/serve/pages/model/statistics.h"

namespace plainfs::serve {

// The longest side of a plane as it is drawn.
inline constexpr uint64_t kMaxFieldSide = 720;

struct SampledPlane {
  uint64_t rows = 0, columns = 0;
  uint64_t row_step = 1, column_step = 1;  // distance of neighbours in the array
  std::vector<double> values;              // row by row; missing ones are NaN
  Statistics statistics;                   // of all values, or of the drawn ones
  bool is_whole = true;                    // the statistics are of all values
};

struct SampledLine {
  uint64_t step = 1;
  std::vector<double> values;
  Statistics statistics;  // of these values
};

// Returns the plane of two axes through `at`. Requires: values are numeric and not column-major, the axes
// differ, and `at` lies inside. Throws what reading throws.
SampledPlane sampled_plane(const Array& values, const Shape& at, size_t row_axis, size_t column_axis);

// Returns the values along an axis through `at`. Requires and throws like sampled_plane().
SampledLine sampled_line(const Array& values, const Shape& at, size_t axis);

}  // namespace plainfs::serve
