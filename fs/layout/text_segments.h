// Texts of an array as a segment of a file. A file that holds them one after the other, or all padded to the
// longest, needs their lengths to know its size, so they are measured in one pass.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "fs/layout/byte_layout.h"

namespace plainfs {

bool is_ascii(std::string_view text);

inline constexpr uint64_t kTextsInRun = 1024;

struct TextLengths {
  uint64_t count = 0;
  uint64_t longest = 0;  // bytes
  // Bytes of all texts before each run of kTextsInRun; the last number is the total.
  std::vector<uint64_t> before;
  bool any_missing = false;
  bool is_ascii = true;
};
using TextLengthsPtr = std::shared_ptr<const TextLengths>;

// Returns the lengths of all elements, in C order: a survey of the array. Throws unsupported if there are
// over 2^32, because a store of a few bytes may claim any number.
TextLengthsPtr measure_texts(const Array& array, Context& context);

// Calls visit(text, is_missing) for elements [first, first + count) in C order, each of any dtype as in a
// .csv, without quotes. Throws damaged if one is not UTF-8, and unsupported if one contains a NUL, which
// neither R nor text of fixed length can hold.
using VisitText = std::function<void(std::string_view text, bool is_missing)>;
void for_each_text(const Array& array, uint64_t first, uint64_t count, const VisitText& visit);

// Returns the width that holds all texts.
uint64_t padded_width(const TextLengths& lengths);

// Returns a segment with each text in `width` bytes, padded with NUL; a missing one is NA, as in the text
// views. Requires: width is at least padded_width().
SegmentPtr padded_texts(ArrayPtr texts, uint32_t width);

// The bytes added around each text.
struct TextFraming {
  uint64_t size;  // bytes
  // Appends the text with these bytes. Throws if the text is not allowed.
  void (*append)(std::string_view text, std::string& out);
};
TextFraming with_length();     // before the text, in four bytes, little-endian
TextFraming with_line_feed();  // after the text; a text that contains a line end is unsupported

// Returns `texts`, with NA for missing ones if there are any.
ArrayPtr without_missing_texts(const ArrayPtr& texts, Context& context);

// Returns a segment with texts [first, first + count) one after the other, each framed. lengths: of all
// texts. Requires: none is missing. May read the texts of a run to compute the size.
SegmentPtr framed_texts(ArrayPtr texts, TextLengthsPtr lengths, uint64_t first, uint64_t count,
                        TextFraming framing);

}  // namespace plainfs
