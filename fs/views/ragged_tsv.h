// The elements of a ragged column one a line (fs/VIEWS.md, section 7): the id of their row, a tab, the value.
#pragma once

#include <memory>

#include "formats/core/model/context.h"
#include "formats/core/model/nested_array.h"
#include "formats/core/model/node.h"
#include "fs/text/text_file.h"

namespace plainfs {

// In the order stored; an element that is an array or a compound is JSON. prepare() reads all indices; it
// throws damaged where they do not fit their data, or there are more rows than ids.
std::unique_ptr<TextSource> ragged_tsv(RowElements elements, Context& context);

// The table with the number of lines that each row has in that text, under NAME_count, in the place of every
// ragged column: no cell of it is longer than a number. check() of such a column reads all indices and throws
// what prepare() above does.
Table with_counts(Table table);

}  // namespace plainfs
