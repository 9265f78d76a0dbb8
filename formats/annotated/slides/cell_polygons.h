// The cells that Space Ranger 4 segments: polygons in GeoJSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/core/model/context.h"

namespace plainfs::annotated {

struct CellCentroid {
  uint64_t cell;  // the number in properties/cell_id
  double x, y;    // of the polygon, by area
};

// Returns the centroids of the polygons in a file, in its order. Reads it once, a feature at a time. Throws
// damaged if it is no collection of polygons with numbers of cells.
std::vector<CellCentroid> cell_centroids(const std::string& location, Context& context);

}  // namespace plainfs::annotated
