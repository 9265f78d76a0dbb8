// Texts of an array as a segment of a file. What holds them one after the other, or all padded to the
// longest, has to know how long they are before its size is known: they are measured in one pass.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

bool is_ascii(std::string_view text);

inline constexpr uint64_t kTextsInRun = 1024;

struct TextLengths {
  uint64_t count = 0;
  uint64_t longest = 0;  // bytes
  // Bytes of all texts before each run of kTextsInRun; the last: of all.
  std::vector<uint64_t> before;
  bool any_missing = false;
  bool is_ascii = true;
};
using TextLengthsPtr = std::shared_ptr<const TextLengths>;

// Of all elements, in C order: a survey of the array. Throws unsupported where they are over 2^32: a store of
// a few bytes may say that it has as many as it likes.
TextLengthsPtr measure_texts(const Array& array, Context& context);

// Calls visit(text, is_missing) for elements [first, first + count) in C order, each of any dtype as a .csv
// shows it, without quotes. Throws damaged where one is not UTF-8, and unsupported where one holds a NUL:
// neither R nor text of fixed length can.
using VisitText = std::function<void(std::string_view text, bool is_missing)>;
void for_each_text(const Array& array, uint64_t first, uint64_t count, const VisitText& visit);

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
