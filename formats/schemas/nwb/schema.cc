#include "formats/schemas/nwb/schema.h"

#include <algorithm>

#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/schemas/nwb/dynamic_table.h"
#include "formats/schemas/nwb/time_series.h"
#include "formats/schemas/zarr_references/schema.h"

namespace plainfs::nwb {
namespace {

// Returns whether the group has the attribute colnames. A group with unreadable attributes and without ids is
// no table.
bool may_be_table(const Group& group) {
  try {
    return group.attributes().has("colnames");
  } catch (const Error& error) {
    if (!is_transient(error) && !group.find("id")) return false;
    throw;
  }
}

// Returns whether the group has a neurodata_type. A group with damaged attributes is shown like any other.
bool may_be_series(const Group& group) {
  if (dynamic_cast<const TimedGroup*>(&group)) return false;
  try {
    return group.attributes().text("neurodata_type").has_value();
  } catch (const Error& error) {
    if (!is_transient(error) || !group.find("data")) return false;
    throw;
  }
}

// Returns whether a column has one value in each row and is no compound, which a table would show as a column
// for each member.
bool is_plain(const RowElements& elements) {
  return elements.ends.empty() && elements.values->shape().size() == 1 &&
         elements.values->dtype().kind != Kind::compound;
}

Table table_of(const DynamicTable& dynamic) {
  Table table;
  table.rows = dynamic.rows;
  table.columns.push_back({"id", dynamic.ids ? dynamic.ids : counting(dynamic.rows)});
  for (const auto& [name, elements] : dynamic.columns)
    table.columns.push_back(
        {name, is_plain(elements) ? elements.values : std::make_shared<NestedArray>(elements)});
  return table;
}

// Returns the group with the rows of the elements beside its ragged columns.
GroupPtr with_rows(GroupPtr stored, const DynamicTable& table) {
  std::vector<DynamicColumn> ragged;
  for (const DynamicColumn& column : table.columns)
    if (!column.elements.ends.empty()) ragged.push_back(column);
  if (ragged.empty()) return stored;
  for (DynamicColumn& column : ragged) column.elements.ids = table.ids;
  return std::make_shared<OverlayGroup>(
      std::move(stored), [ragged = std::move(ragged)](const std::string& name, Node member) {
        auto* array = std::get_if<LabelledArray>(&member.content);
        const auto column = std::find_if(ragged.begin(), ragged.end(),
                                         [&](const DynamicColumn& each) { return each.name == name; });
        if (array && column != ragged.end())
          array->values = std::make_shared<RaggedArray>(array->values, column->elements);
        return member;
      });
}

// Returns the group with its series, if it is a TimeSeries.
std::optional<Node> with_series(const Node& node, Context& context) {
  if (!may_be_series(*node.parts)) return std::nullopt;
  Node refined = zarr_references::refine(node, context).value_or(node);
  try {
    refined.parts = time_series_in(refined.parts);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return std::nullopt;  // the unit of its data is unknown
  }
  return refined.parts ? std::optional(std::move(refined)) : std::nullopt;
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!is_plain_group(node)) return std::nullopt;
  if (!may_be_table(*node.parts)) return with_series(node, context);
  // A Zarr group is read with HDMF's links and references, through which its members are found.
  Node refined = zarr_references::refine(node, context).value_or(node);
  try {
    const auto table = dynamic_table_in(*refined.parts, context);
    if (!table) return std::nullopt;
    refined.parts = with_rows(refined.parts, *table);
    if (table->error) throw *table->error;
    refined.content = table_of(*table);
    if (refined.parts->path() == "/units") refined.role = Role::main_table;
  } catch (const Error& error) {
    refined.content = error.at(refined.parts->path());
  }
  return refined;
}

}  // namespace plainfs::nwb
