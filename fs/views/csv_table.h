// A table as CSV (fs/VIEWS.md, section 4): a header and one line a row, the row names first. A compound, as a
// column or as an array by itself, gives one column a member.
#pragma once

#include <memory>

#include "formats/core/model/node.h"
#include "fs/text/text_file.h"

namespace plainfs {

std::unique_ptr<TextSource> csv_table(Table table, Context& context);

// One line an element, in C order. Requires: array.values is an array of compounds.
std::unique_ptr<TextSource> csv_compounds(LabelledArray array, Context& context);

}  // namespace plainfs
