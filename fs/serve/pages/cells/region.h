// A part of the plane in which the cells of a page lie: ?region=X0,Y0,X1,Y1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fs/serve/pages/cells/embeddings.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {

struct PlaneRegion {
  Interval x, y;
};

// Returns finite numbers separated by commas; empty if the text is anything else.
std::vector<double> numbers_in_list(const std::string& text);

// Returns the region of "X0,Y0,X1,Y1"; nullopt unless these are four numbers and both sides have a length.
std::optional<PlaneRegion> region_in(const std::string& text);

struct RegionPlaces {
  CellPlaces places;   // not a number for the others
  uint64_t cells = 0;  // in the region
  uint64_t step = 1;   // one of so many of them has its place
};
// Returns the places of at most `most` of the cells in a region; nullopt if there is no such embedding. Reads
// the places of all cells. Throws like places_of().
std::optional<RegionPlaces> places_in_region(const AnnotatedMatrix& matrix, const std::string& embedding,
                                             const PlaneRegion& region, uint64_t most);

}  // namespace plainfs::serve
