// Texts of which each character is an element of an array.
#pragma once

#include "formats/core/model/array.h"

namespace plainfs::chartext {

// The texts along the last axis of an array of texts of one byte. Requires: it has an axis, and the last one
// is not of length 0.
ArrayPtr joined_text(ArrayPtr characters);

}  // namespace plainfs::chartext
