// The fields of compound arrays as arrays of their own.
#pragma once

#include "formats/core/model/node.h"

namespace plainfs::frames {

// Field f of every element of compounds, an array of compounds. A field that is itself an array adds its axes
// after those of compounds.
ArrayPtr field_of(ArrayPtr compounds, size_t f);

}  // namespace plainfs::frames
