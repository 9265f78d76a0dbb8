#include "fs/native/flat_columns.h"

#include "formats/core/model/derived_array.h"

namespace plainfs {

namespace {

// One member of an array of compounds.
ArrayPtr member_array(ArrayPtr compounds, size_t member) {
  DType type = compounds->dtype().fields[member].type;
  return mapped(std::move(compounds), std::move(type), [member](Elements records, const Box&) {
    Elements values = std::move(records.children[member]);
    if (records.missing.empty()) return values;
    values.missing.resize(values.count);
    for (uint64_t i = 0; i < values.count; ++i) values.missing[i] |= records.missing[i];
    return values;
  });
}

void add_columns(const std::string& name, const ArrayPtr& values, std::vector<Column>& columns) {
  if (values->dtype().kind != Kind::compound) {
    columns.push_back({name, values});
    return;
  }
  for (size_t f = 0; f < values->dtype().fields.size(); ++f) {
    const std::string& field = values->dtype().fields[f].name;
    add_columns(name.empty() ? field : name + "." + field, member_array(values, f), columns);
  }
}

}  // namespace

std::vector<Column> member_columns(const Table& table) {
  std::vector<Column> columns;
  for (const Column& column : table.columns) add_columns(column.name, column.values, columns);
  return columns;
}

std::vector<Column> flat_columns(const Table& table) {
  std::vector<Column> columns = member_columns(table);
  for (const Column& column : columns) {
    column.values->check();
    if (column.values->count() != table.rows)
      throw damaged("column {} has {} values for {} rows", column.name, column.values->count(), table.rows);
  }
  return columns;
}

ArrayPtr checked_row_names(const Table& table) {
  if (!table.row_names) return nullptr;
  table.row_names->check();
  if (table.row_names->count() != table.rows)
    throw damaged("the list of row names has {} values for {} rows", table.row_names->count(), table.rows);
  return table.row_names;
}

}  // namespace plainfs
