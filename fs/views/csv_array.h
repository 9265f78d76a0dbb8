// An array as CSV (fs/VIEWS.md, section 3): one element a line at rank 0 and 1, one row a line at rank 2, at
// higher ranks all indices but the last in order down the lines. With names, a header and a name before each
// line.
#pragma once

#include <memory>

#include "formats/core/model/node.h"
#include "fs/text/text_file.h"

namespace plainfs {

// Requires: array.values is no array of compounds (csv_table.h).
std::unique_ptr<TextSource> csv_array(LabelledArray array, Context& context);

}  // namespace plainfs
