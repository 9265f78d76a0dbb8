// Texts with each character as an element of an array.
#pragma once

#include "formats/core/model/array.h"

namespace plainfs::chartext {

// Returns the texts along the last axis of an array of texts of one byte. Requires: it has an axis, and the
// last one is not of length 0.
ArrayPtr joined_text(ArrayPtr characters);

}  // namespace plainfs::chartext
