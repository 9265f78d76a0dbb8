// Texts of an array as a segment of a file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "formats/core/model/array.h"
#include "fs/native/byte_layout.h"
#include "fs/native/text_lengths.h"

namespace plainfs {

// How wide they have to be.
uint64_t padded_width(const TextLengths& lengths);

// Each in width bytes, the rest NUL; a missing one is NA, as the text views say. Requires: width is at least
// padded_width().
SegmentPtr padded_texts(ArrayPtr texts, uint32_t width);

// What stands beside each text.
struct TextFraming {
  uint64_t size;  // bytes
  // Adds the text with them. Throws where there cannot be such a text.
  void (*append)(std::string_view text, std::string& out);
};
TextFraming with_length();     // before it, in four bytes, little-endian
TextFraming with_line_feed();  // behind it; a text with a line end of its own is unsupported

// The same with a missing one spelled NA, where there is any.
ArrayPtr without_missing_texts(const ArrayPtr& texts, Context& context);

// Texts [first, first + count) one after the other, each framed; lengths are of all. Requires: none is
// missing. May read the texts of a run to know the size.
SegmentPtr framed_texts(ArrayPtr texts, TextLengthsPtr lengths, uint64_t first, uint64_t count,
                        TextFraming framing);

}  // namespace plainfs
