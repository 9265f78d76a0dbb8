// A plane of an array as a picture.
#pragma once

#include <optional>

#include "formats/core/model/node.h"
#include "fs/serve/pages/model/first_rows.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// Returns a plane of numbers as a grey picture of at most 256 by 256 pixels, brighter for greater values. A
// larger plane is sampled: every k-th value of its beginning. Returns nullopt for fewer than two rows or
// columns. Requires: rank 2 or more, numeric, and the origin is inside.
std::optional<Figure> heat_map(const LabelledArray& array, const Plane& plane);

}  // namespace plainfs::serve
