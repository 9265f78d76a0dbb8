// MATLAB's char arrays as text, and cells of them.
#pragma once

#include <functional>

#include "formats/core/model/arrays/array.h"

namespace plainfs::matlab {

// Returns the rows of a char array as texts: a single value for one row, a list for more. codes: UTF-16
// units, or code points if they are of another width; the first axis is the columns of the char array; rank 1
// or 2. Null for a higher rank.
ArrayPtr text_of_codes(ArrayPtr codes);

// Returns an array like references with the text that each of them refers to. text_at: returns the text at a
// path. Thread-safe if text_at is.
ArrayPtr text_of_cells(ArrayPtr references, std::function<std::string(std::string_view path)> text_at);

}  // namespace plainfs::matlab
