#include "formats/schemas/nwb/dynamic_table.h"

#include <algorithm>

#include "formats/core/frames/parts.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/text/path_names.h"

namespace plainfs::nwb {
namespace {

constexpr int kMaxIndices = 16;  // of one column, each indexing the previous one

bool has_text(const Attributes& attributes, std::string_view name, std::string_view text) {
  const Json* value = attributes.find(name);
  return value && value->text() && *value->text() == text;
}

// Returns the attributes of a member as its group shows them, which may differ from those of its array.
// Follows links.
Attributes attributes_in(const Group& table, const std::string& name) {
  const std::string path[] = {name};
  const std::optional<Node> node = find_path(table, path);
  return node ? attributes_of(*node) : Attributes{};
}

// Returns whether the member called index_name is an index over target: by its type, or because it refers to
// target. (The reference may be null, or lead to the place where the target is stored.) Throws if this cannot
// be determined.
bool is_index(const Group& table, const std::string& index_name, const std::string& target) {
  const std::string path = member_path(table, target);
  const Attributes attributes = attributes_in(table, index_name);
  return has_text(attributes, "neurodata_type", "VectorIndex") ||
         has_text(attributes, "data_type", "VectorIndex") || has_text(attributes, "target", path);
}

// Returns the list at a path from the store's root. Throws damaged if it leads to no list.
ArrayPtr list_at(const Group& from, std::string_view path) {
  GroupPtr root = from.parent();
  while (root && root->parent()) root = root->parent();
  const std::optional<Node> node = find_path(root ? *root : from, path_names(path));
  ArrayPtr array = node ? array_of(*node) : nullptr;
  if (!array || !frames::may_be_list(*array)) throw damaged("{} does not refer to a list", path);
  return array;
}

// Returns the codes of an enumerated or a vocabulary column as the texts that they represent, and any other
// array unchanged.
ArrayPtr with_labels(const Group& table, const std::string& name, ArrayPtr values, Context& context) {
  const Kind kind = values->dtype().kind;
  if (kind != Kind::integer && kind != Kind::unsigned_integer) return values;
  const std::string place = table.path() + "/" + name;
  const auto labelled = [&](ArrayPtr labels) {
    return factor(std::move(values), std::move(labels), 0, place, context);
  };
  try {
    const Attributes attributes = attributes_in(table, name);
    if (const Json* elements = attributes.find("elements");
        elements && (elements->text() || elements->is_null())) {
      if (!elements->text()) throw damaged("the reference to its elements is broken");
      return labelled(list_at(table, *elements->text()));
    }
    if (const Json* vocabulary = attributes.find("vocabulary"); vocabulary && vocabulary->list())
      return labelled(text_array(attributes.texts("vocabulary")));
  } catch (const Error& error) {
    return std::make_shared<BrokenArray>(text_type(), error.at(place));
  }
  return values;
}

// Returns the column called name of a table's group; nullopt if it has no data, or data that are not a list.
// Errors in its indices or labels are found when it is read. Throws if it may or may not have an index. Reads
// no data.
std::optional<DynamicColumn> column_in(const Group& table, const std::string& name, Context& context) {
  DynamicColumn column;
  column.name = name;
  RowElements& elements = column.elements;
  elements.values = frames::part_of(table, name);
  if (!elements.values || elements.values->is_null() || elements.values->shape().empty()) return std::nullopt;
  elements.values = with_labels(table, name, std::move(elements.values), context);
  std::string target = name;
  for (int i = 0; i < kMaxIndices; ++i) {
    std::string index = target + "_index";
    ArrayPtr found = frames::list_part_of(table, index);
    if (!found || (!frames::is_broken(*found) && !is_index(table, index, target))) break;
    elements.ends.insert(elements.ends.begin(), std::move(found));
    target = std::move(index);
  }
  return column;
}

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
  const Json* value = attributes.find(name);
  if (value && value->text()) return std::vector{*value->text()};
  if (!value || !value->list()) return std::nullopt;
  std::vector<std::string> names = attributes.texts(name);
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
