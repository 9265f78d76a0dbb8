// A table with cells that hold lists (fs/VIEWS.md, sections 4 and 7): each such cell is JSON in a CSV field.
// A cell may be as large as the whole store, so blocks of text are cut inside rows and cells where need be.
#pragma once

#include <memory>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/text_file.h"

namespace plainfs {

// Whether a column of the table is a NestedArray.
bool has_nested_columns(const Table& table);

// Of such a table; a column of compounds that are no NestedArray is JSON as well. prepare() reads all
// indices; it throws damaged where they do not fit their data or columns differ in length.
std::unique_ptr<TextSource> csv_nested(Table table, Context& context);

}  // namespace plainfs
