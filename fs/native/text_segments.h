// Texts of an array as a segment of a file.
#pragma once

#include "formats/core/model/array.h"
#include "fs/native/byte_layout.h"
#include "fs/native/text_lengths.h"

namespace plainfs {

// Each in width bytes, the rest NUL; a missing one is empty. Requires: none is longer than width.
SegmentPtr padded_texts(ArrayPtr texts, uint32_t width);

}  // namespace plainfs
