// A column of a table, summarized in one line.
#pragma once

#include <string>

#include "formats/core/model/array.h"

namespace plainfs::serve {

// Returns "77 to 150, median 110, quartiles 99 and 121", "8 levels: Naive T 24 %, CD14+ Mono 20 %, …" or
// "text, over 10,000 different"; empty for a column with neither numbers nor levels. Reads the whole column
// once and keeps the line as long as the array. Throws the errors of reading.
std::string column_summary(const Array& column);

}  // namespace plainfs::serve
