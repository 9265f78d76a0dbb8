// How long the texts of an array are, found in one pass over it: what a file that holds them one after the
// other, or all padded to the longest, has to know before its size is known.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

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

}  // namespace plainfs
