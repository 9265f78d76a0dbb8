#include <algorithm>

#include "formats/core/frames/data_frame.h"
#include "formats/schemas/h5seurat/labels.h"
#include "formats/schemas/h5seurat/r_array.h"
#include "formats/schemas/h5seurat/shapes.h"

namespace plainfs::h5seurat {
namespace {

bool is_table_place(const Place& place) {
  return (place.size() == 1 && place[0] == "meta.data") ||
         (place.size() == 3 && place[0] == "assays" && place[2] == "meta.features");
}

// Returns the names of the members that may hold row names: row.names, as published, or the one in the
// attribute _index, as in AnnData.
std::vector<std::string> row_name_members(const Attributes& attributes) {
  std::vector<std::string> names{"row.names"};
  const auto index = attributes.texts("_index");
  if (!index.empty()) names.push_back(index[0]);
  return names;
}

ArrayPtr row_names_of(const SeuratFile& file, const Group& parent, const Group& group, const Place& place,
                      const std::vector<std::string>& own) {
  if (ArrayPtr names = table_label_list(file, place)) return names;
  for (const std::string& name : own)
    if (ArrayPtr names = find_names(group, name, file.context())) return names;
  return find_names(parent, place.back() + ".row.names", file.context());
}

// Returns the values of a member of a data frame; null if it is neither an array nor a factor.
ArrayPtr column_values(const SeuratFile& file, const Group& group, const Place& place, const Member& member) {
  if (const Error* error = std::get_if<Error>(&member.node.content))
    return std::make_shared<BrokenArray>(text_type(), *error);
  Place column_place = place;
  column_place.push_back(member.name);
  if (std::holds_alternative<LabelledArray>(member.node.content))
    return labelled_array_of(file, group, member.node, column_place).values;
  return member.node.parts ? factor_of(file, *member.node.parts) : nullptr;
}

// Returns members in the order of names, then the others in their own.
std::vector<Member> in_order(std::vector<Member> members, const std::vector<std::string>& names) {
  const auto rank = [&](const Member& member) {
    return std::find(names.begin(), names.end(), member.name) - names.begin();
  };
  std::vector<std::pair<ptrdiff_t, Member>> ranked;
  for (Member& member : members) {
    const ptrdiff_t place = rank(member);
    ranked.emplace_back(place, std::move(member));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < members.size(); ++i) members[i] = std::move(ranked[i].second);
  return members;
}

bool is_column(const ArrayPtr& values) {
  return values && values->shape().size() == 1;
}

}  // namespace

std::optional<Table> table_of(const SeuratFile& file, const Group& parent, const Group& group,
                              const Place& place) {
  const Attributes attributes = group.attributes();
  if (!attributes.find("colnames") && !is_table_place(place)) return std::nullopt;
  const std::vector<std::string> names = attributes.texts("colnames");
  const std::vector<std::string> row_members = row_name_members(attributes);
  const auto listed = [](const auto& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  std::vector<Column> columns;
  std::optional<uint64_t> rows;
  for (const Member& member : in_order(group.members(), names)) {
    if (listed(row_members, member.name) && !listed(names, member.name)) continue;
    ArrayPtr values = column_values(file, group, place, member);
    if (!rows && is_column(values) && frames::is_readable(*values)) rows = values->count();
    columns.push_back({member.name, std::move(values)});
  }
  ArrayPtr row_names = row_names_of(file, parent, group, place, row_members);
  if (!rows) rows = row_names ? row_names->count() : 0;
  row_names = fitting_names(std::move(row_names), *rows, group.path() + ": rows", file.context());
  return frames::table_of(*rows, std::move(row_names), std::move(columns), group.path(), file.context());
}

}  // namespace plainfs::h5seurat
