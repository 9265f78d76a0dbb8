#include "formats/schemas/nwb/dynamic_table.h"

#include <algorithm>

#include "formats/core/frames/parts.h"

namespace plainfs::nwb {
namespace {

// Returns the columns and ids of one table.
std::optional<DynamicTable> own_table_in(const Group& group, const Attributes& attributes, Context& context) {
  const auto names = names_in(attributes, "colnames");
  if (!names) return std::nullopt;
  DynamicTable table;
  table.ids = frames::part_of(group, "id");
  if (table.ids && !frames::may_be_list(*table.ids)) return std::nullopt;
  for (const std::string& name : *names) {
    if (auto column = column_in(group, name, context))
      table.columns.push_back(std::move(*column));
    else
      context.warn(fmt::format("{}: the column {} has no data and is left out", group.path(), name));
  }
  if (table.ids)
    table.rows = table.ids->count();
  else if (!table.columns.empty())
    table.rows = row_count(table.columns.front().elements);
  return table;
}

void add_category(const Group& group, const std::string& name, DynamicTable& table, Context& context) {
  const GroupPtr category = frames::group_part_of(group, name);
  auto own = category ? own_table_in(*category, category->attributes(), context) : std::nullopt;
  if (!own) {
    context.warn(fmt::format("{}: the category {} is not a table and is left out", group.path(), name));
    return;
  }
  const bool is_broken = own->ids && frames::is_broken(*own->ids);
  if (!is_broken && own->rows != table.rows && !table.error)
    table.error = damaged("the category {} has {} rows, expected {}", name, own->rows, table.rows);
  for (DynamicColumn& column : own->columns) {
    column.name = name + "." + column.name;
    table.columns.push_back(std::move(column));
  }
}

}  // namespace

std::optional<std::vector<std::string>> names_in(const Attributes& attributes, std::string_view name) {
  const Json* value = find_attribute(attributes, name);
  if (value && value->text()) return std::vector{*value->text()};
  if (!value || !value->list()) return std::nullopt;
  std::vector<std::string> names = texts_of(attributes, name);
  if (names.size() != value->list()->size()) return std::nullopt;
  return names;
}

std::optional<DynamicTable> dynamic_table_in(const Group& group, Context& context) {
  const Attributes attributes = group.attributes();
  auto table = own_table_in(group, attributes, context);
  if (!table) return std::nullopt;
  for (const std::string& name : names_in(attributes, "categories").value_or(std::vector<std::string>()))
    add_category(group, name, *table, context);
  return table;
}

}  // namespace plainfs::nwb
