#include "fs/views/table/flat_columns.h"

#include <algorithm>

#include "formats/core/model/arrays/derived_array.h"
#include "fs/layout/text_segments.h"
#include "fs/views/r/rds_writer.h"
#include "fs/views/r/seurat_names.h"
#include "fs/views/table/factor_codes.h"

namespace plainfs {

namespace {

// Returns one member of an array of compounds.
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

// Throws unsupported if R cannot hold the texts.
void check_texts_of_r(const Array& values, Context& context) {
  if (const std::optional<NativeFactor> factor = native_factor(values)) {
    for (const std::string& level : factor->levels)
      if (level.find('\0') != level.npos) throw unsupported("a level contains a NUL");
  } else if (r_vector_of(values.dtype()) == RVector::text) {
    measure_texts(values, context);
  }
}

}  // namespace

std::vector<Column> held_by_r(std::vector<Column> columns, const std::string& place, Context& context) {
  std::erase_if(columns, [&](const Column& column) {
    try {
      check_texts_of_r(*column.values, context);
      return false;
    } catch (const Error& error) {
      if (error.code() != Errc::unsupported) throw;
      context.notice(fmt::format("{}: column {} is left out: {}", place, column.name, error.what()));
      return true;
    }
  });
  return columns;
}

std::vector<Column> columns_of_r(std::vector<Column> columns, const std::string& place, Context& context) {
  columns = held_by_r(std::move(columns), place, context);
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  names = made_unique(std::move(names));
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == names[i]) continue;
    context.notice(fmt::format("{}: the column name {} is repeated; this one becomes {}", place,
                               columns[i].name, names[i]));
    columns[i].name = names[i];
  }
  return columns;
}

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
