// The text of a table. Its other files are in the rooms of their programs.
#pragma once

#include <memory>

#include "formats/core/model/arrays/nested_array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/text_file.h"
#include "fs/views/file_rows.h"

namespace plainfs {

// Returns a table as CSV (fs/VIEWS.md, section 4): a header and one line per row, the row names first. A
// compound, as a column or as a separate array, becomes one column per member.
std::unique_ptr<TextSource> csv_table(Table table, Context& context);
// Returns an array of compounds as CSV: one line per element, in C order. Requires: array.values has
// compounds as elements.
std::unique_ptr<TextSource> csv_compounds(LabelledArray array, Context& context);

// Returns the elements of a ragged column, one per line (fs/VIEWS.md, section 7): the id of their row, a tab,
// the value, in stored order. Elements that are arrays or compounds are JSON. prepare() reads all indices. It
// throws damaged if they do not fit their data, or if there are more rows than ids.
std::unique_ptr<TextSource> ragged_tsv(RowElements elements, Context& context);
// Returns the table with each ragged column replaced by NAME_count, the number of lines that each row has in
// that text, so that no cell is longer than a number. check() of such a column reads all indices and throws
// like prepare() above.
Table with_counts(Table table);

// NAME.csv of a table, with lists in its cells or the number of their elements.
std::unique_ptr<TextSource> csv_of_table(const Table& table, Context& context);
// timeseries.csv: the series of a group that have the same times.
void offer_time_series(const FileRow& row, const Node& node, Context& context, Files& files);
// NAME.tsv: the elements of a ragged column.
void offer_ragged(const FileRow& row, const Node& node, Context& context, Files& files);

// An array of compounds as a table.

// Returns whether the elements of an array are the rows of a table.
bool has_rows(const LabelledArray& array);
// Returns the members of an array of compounds as a table.
Table table_of(const LabelledArray& array);
// Returns whether the table has columns, or row names.
bool has_columns(const Table& table);
// Returns whether memory can hold each of the columns.
bool can_be_held(const Table& table);

}  // namespace plainfs
