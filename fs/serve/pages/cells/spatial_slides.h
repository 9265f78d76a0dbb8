// The images of SpatialData as slides beneath the cells of a table that share a coordinate system with them.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/contents/slide.h"
#include "formats/core/model/context.h"

namespace plainfs::serve {

// Returns the images of the SpatialData around a table as slides, with the cells in pixels of the largest
// level: obsm/spatial has them in the coordinates of the element that the table annotates. Empty for other
// tables. Reads metadata and obsm/spatial; the pixels are read with the slide. Throws the errors of reading.
// left_out: gets a sentence for each image that is too large.
std::vector<Slide> spatial_slides(const Node& table, const AnnotatedMatrix& matrix, Context& context,
                                  std::vector<std::string>& left_out);

}  // namespace plainfs::serve
