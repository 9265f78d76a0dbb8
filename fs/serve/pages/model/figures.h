// The pictures of a page, and the sampling of the store's numbers for them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/core/model/array.h"
#include "formats/core/model/node.h"
#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {

// heat_map.cc

// A plane of an array's last two axes, in the order users see them: its origin along each axis.
struct Plane {
  Shape origin;
};

// Returns a plane of numbers as a grey picture of at most 256 by 256 pixels, brighter for greater values. A
// larger plane is sampled: every k-th value of its beginning. Returns nullopt for fewer than two rows or
// columns. Requires: rank 2 or more, numeric, and the origin is inside.
std::optional<Figure> heat_map(const LabelledArray& array, const Plane& plane);

// Counts the first fragments by chromosome.
std::optional<Figure> chromosome_bars(const Fragments& fragments);

// Counts the first variants by contig. Returns nullopt without variants, or for more than 2^26. Reads the
// contig of each.
std::optional<Figure> contig_bars(const Variants& variants);

// numbers.cc: sampling the numbers of a store.

// Returns columns [first, first + columns) of every step-th row of a numeric array, in the order users see
// it. An array of rank 1 has one column. Missing values are NaN. Reads all rows on the way if they are
// chunked. Requires: dtype().is_numeric(), step > 0, the columns exist.
std::vector<double> sampled_rows(const Array& values, uint64_t rows, uint64_t step, uint64_t first,
                                 uint64_t columns);

// Returns the spots of a line through the values, starting at x = first, one step apart. More than `most`
// values are reduced to the minimum and maximum of each of `most` stretches.
std::vector<Spot> envelope(const std::vector<double>& values, double first, double step, uint64_t most);

}  // namespace plainfs::serve
