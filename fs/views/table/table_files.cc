#include "fs/views/table/table_files.h"

#include <algorithm>

#include "formats/core/model/arrays/nested_array.h"
#include "formats/core/model/derived_group.h"
#include "fs/views/table/csv_nested.h"

namespace plainfs {

std::unique_ptr<TextSource> csv_of_table(const Table& table, Context& context) {
  const Table shown = context.options.ragged_as_count ? with_counts(table) : table;
  return has_nested_columns(shown) ? csv_nested(shown, context) : csv_table(shown, context);
}

void offer_time_series(const FileRow& row, const Node& node, Context& context, Files& files) {
  if (std::holds_alternative<LabelledArray>(node.content) || std::holds_alternative<Table>(node.content))
    return;
  const TimedGroup* const timed = timed_group(node);
  if (!timed) return;
  row.add(text_opener(context, [series = timed->series(), &context] { return csv_table(series, context); }),
          files);
  files.back().is_never_listed = true;
}

void offer_ragged(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  const auto* lists = array ? dynamic_cast<const RaggedArray*>(array->values.get()) : nullptr;
  if (lists)
    row.add(text_opener(context,
                        [elements = lists->elements(), &context] { return ragged_tsv(elements, context); }),
            files);
}

bool has_rows(const LabelledArray& array) {
  return array.values->dtype().kind == Kind::compound && !array.values->is_null();
}

Table table_of(const LabelledArray& array) {
  array.values->check();
  return {array.values->count(), array.row_names, {{"", array.values}}};
}

bool has_columns(const Table& table) {
  return table.row_names || !table.columns.empty();
}

bool can_be_held(const Table& table) {
  return std::all_of(table.columns.begin(), table.columns.end(), [](const Column& column) {
    const auto* nested = dynamic_cast<const NestedArray*>(column.values.get());
    return !nested || nested->can_be_held();
  });
}

}  // namespace plainfs
