// The pictures of a page, and the numbers that they take of a store.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/core/model/array.h"
#include "formats/core/model/node.h"
#include "fs/serve/page_model.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {

// heat_map.cc

// A plane of an array's last two axes, as users see them: where it begins along each axis.
struct Plane {
  Shape origin;
};

// Returns a plane of numbers, each value as bright as it is great, at most 256 pixels high and wide: of a
// larger one every k-th value of its beginning. nullopt of less than two rows or columns. Requires: rank 2 or
// more, numbers, and that the origin lies inside.
std::optional<Figure> heat_map(const LabelledArray& array, const Plane& plane);

// How many fragments stand on each chromosome, of the first ones.
std::optional<Figure> chromosome_bars(const Fragments& fragments);

// Returns how many variants stand on each contig, of the first ones; nullopt of none, and of over 2^26. Reads
// the contig of each.
std::optional<Figure> contig_bars(const Variants& variants);

// numbers.cc: some of the numbers of a store, from one end to the other.

// Of every step-th row of an array of numbers, seen as users see it, the values of its columns [first, first
// + columns); of rank 1 the values themselves (columns is 1). Missing ones are NaN. Reads all rows on the way
// where they are in chunks. Requires: dtype().is_numeric(), step > 0, the columns are there.
std::vector<double> sampled_rows(const Array& values, uint64_t rows, uint64_t step, uint64_t first,
                                 uint64_t columns);

// Returns spots of a line through values, the first at x = first and each next one a step on: of more than
// most values the least and the greatest of each of most stretches.
std::vector<Spot> envelope(const std::vector<double>& values, double first, double step, uint64_t most);

// Returns what lies at such a part of the finite ones from either end, 0 to 1; {0, 0} if there are none.
Interval range_of(std::vector<double> values, double cut);

}  // namespace plainfs::serve
