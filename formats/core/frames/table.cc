#include "formats/core/frames/table.h"

#include "formats/core/frames/names.h"

namespace plainfs::frames {
Table table_of(uint64_t rows, ArrayPtr row_names, std::vector<Column> columns, const std::string& place,
               Context& context) {
  Table table{rows, std::move(row_names), {}};
  const bool is_length_known = !table.row_names || is_readable(*table.row_names);
  for (Column& column : columns) {
    if (!column.values || column.values->shape().size() != 1) {
      context.notice(fmt::format("{}: {} is not one value a row and is left out", place, column.name));
      continue;
    }
    const uint64_t length = column.values->count();
    if (is_length_known && length != rows && is_readable(*column.values))
      column.values = std::make_shared<BrokenArray>(
          column.values->dtype(),
          damaged("{}: column {} has {} values for {} rows", place, column.name, length, rows));
    table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace plainfs::frames
