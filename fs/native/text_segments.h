// Texts of an array as a segment of a file.
#pragma once

#include "formats/core/model/array.h"
#include "fs/native/byte_layout.h"
#include "fs/native/text_lengths.h"

namespace plainfs {

// How wide they have to be.
uint64_t padded_width(const TextLengths& lengths);

// Each in width bytes, the rest NUL; a missing one is NA, as the text views say. Requires: width is at least
// padded_width().
SegmentPtr padded_texts(ArrayPtr texts, uint32_t width);

}  // namespace plainfs
