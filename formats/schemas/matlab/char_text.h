// MATLAB's char arrays as text, and cells of them.
#pragma once

#include <functional>

#include "formats/core/model/array.h"

namespace plainfs::matlab {

// The rows of a char array, each a text: of a single row one value, of more a list. codes: UTF-16 units, or
// code points where they are of another width, the columns of the char array first; rank 1 or 2. Null for a
// higher rank.
ArrayPtr text_of_codes(ArrayPtr codes);

// The texts that references lead to: an array like references, each element a text. text_at: the text at a
// path. Thread-safe where text_at is.
ArrayPtr text_of_cells(ArrayPtr references, std::function<std::string(std::string_view path)> text_at);

}  // namespace plainfs::matlab
