#include "fs/views/parquet/parquet_files.h"

#include "fs/views/table/table_files.h"

namespace plainfs {

namespace {

void add_parquet(const FileRow& row, const std::function<Table()>& find, Context& context, Files& files) {
  const auto lay_out = [find, &context] { return table_parquet(find(), context); };
  const auto pack = [find, &context] { return packed_table_parquet(find(), context); };
  row.add(layout_opener(context, lay_out, row.version, pack), files);
}

}  // namespace

void offer_parquet_of_table(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* table = std::get_if<Table>(&node.content);
  // Readers reject a file without columns.
  if (table && has_columns(*table) && can_be_held(*table))
    add_parquet(
        row, [table = *table] { return table; }, context, files);
}

void offer_parquet_of_array(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* stored = std::get_if<LabelledArray>(&node.content);
  if (!stored) return;
  const LabelledArray array = labelled_values(*stored);
  if (has_rows(array))
    add_parquet(
        row, [array] { return table_of(array); }, context, files);
}

}  // namespace plainfs
