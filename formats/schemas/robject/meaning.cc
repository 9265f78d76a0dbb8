#include "formats/schemas/robject/meaning.h"

#include <algorithm>

#include "formats/core/frames/scalars.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/sparse/coordinate_source.h"

namespace plainfs::robject {
namespace {

// Returns whether value has no files.
bool is_no_data(const Value& value) {
  return value.type == RType::null || value.type == RType::symbol || value.type == RType::other;
}

// Returns the members of an object that is only a list, such as a SimpleList; null for any other object.
ValuePtr list_data(const Value& object) {
  const ValuePtr data = object.attribute("listData");
  return data && data->type == RType::list ? data : nullptr;
}

Node slots_node(const ValuePtr& object, const View& view) {
  Node node;
  node.parts = directory_at(
      view, [object](const View& inside) { return slot_members(*object, inside); },
      [object] { return attributes_of(*object); });
  return node;
}

Node object_node(const ValuePtr& object, const View& view) {
  if (is_seurat(*object)) return seurat_node(object, view);
  if (is_experiment(*object)) return experiment_node(object, view);
  if (is_bpcells(*object)) return bpcells_node(object, view);
  if (is_delayed(*object)) return delayed_node(object, view);
  if (is_sparse_matrix(*object)) return sparse_node(object, view);
  if (is_genomic_ranges(*object)) return ranges_node(object, view, true);
  if (is_hits(*object)) return hits_node(object, view);
  if (const ValuePtr dense = dense_matrix(*object)) return vector_node(dense, view);
  if (const ValuePtr expanded = expanded_rle(*object)) return vector_node(expanded, view);
  if (const ValuePtr list = list_data(*object)) return list_node(list, view);
  if (const ValuePtr fields = fields_of(*object)) return list_node(fields, view);
  return slots_node(object, view);
}

}  // namespace

std::string MemberNames::take(const std::string& wanted, size_t position) {
  const std::string name = wanted.empty() ? std::to_string(position + 1) : wanted;
  std::string given = name;
  for (unsigned number = 2; !taken_.insert(given).second; ++number)
    given = name + "~" + std::to_string(number);
  return given;
}

std::optional<Node> node_of(const ValuePtr& value, const View& view) {
  if (!value || is_no_data(*value)) return std::nullopt;
  if (is_frame(*value)) return frame_node(value, view);
  if (value->is_vector()) return vector_node(value, view);
  if (value->type != RType::list) return object_node(value, view);
  if (const ValuePtr fields = fields_of(*value)) return list_node(fields, view);
  if (is_igraph(*value)) return igraph_node(value, view);
  Node node = list_node(value, view);
  if (value->is_a("scalefactors"))  // of an image
    if (std::optional<Table> factors = frames::table_of_scalars(node.parts->members()))
      node.content = *std::move(factors);
  return node;
}

GroupPtr directory_at(const View& view, std::function<std::vector<Member>(const View& inside)> list,
                      std::function<Attributes()> attributes, ValuePtr value) {
  auto directory = std::make_shared<Directory>(
      view.place.parent, view.place.path,
      [view, list = std::move(list)](const GroupPtr& self) {
        return list(view.at({self, view.place.path}));
      },
      std::move(attributes));
  directory->value = std::move(value);
  return directory;
}

Node list_node(const ValuePtr& list, const View& view) {
  Node node;
  node.parts = directory_at(
      view, [list](const View& inside) { return list_members(*list, inside); },
      [list] { return attributes_of(*list); }, list);
  return node;
}

std::vector<Member> list_members(const Value& list, const View& view) {
  std::optional<std::vector<std::string>> names = list.item_names();
  if (!names) {
    view.scope->context.notice(
        fmt::format("{}: the names are not used: there are not as many as members", view.place.path));
    names.emplace(list.items.size());
  }
  std::vector<Member> members;
  MemberNames given;
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (is_no_data(*list.items[i])) continue;
    const std::string name = given.take((*names)[i], i);
    add_member(members, name, list.items[i], view);
  }
  // They have no files, so other members keep the names that they have without them.
  for (size_t i = 0; i < list.items.size(); ++i)
    if (list.items[i]->type == RType::null) members.push_back({given.take((*names)[i], i), {Nothing{}}});
  return members;
}

std::vector<Member> slot_members(const Value& object, const View& view,
                                 const std::vector<std::string>& left_out) {
  std::vector<Member> members;
  for (const rds::NamedValue& slot : object.attributes) {
    if (slot.name == "class") continue;
    if (std::find(left_out.begin(), left_out.end(), slot.name) != left_out.end()) continue;
    add_member(members, slot.name, slot.value, view);
  }
  return members;
}

void add_member(std::vector<Member>& members, const std::string& name, const ValuePtr& value,
                const View& view) {
  View inside = view;
  inside.place = view.place.inside(name, view.place.parent);
  try {
    if (std::optional<Node> node = node_of(value, inside)) members.push_back({name, *std::move(node)});
  } catch (const Error& error) {
    members.push_back({name, Node{.content = error}});
  }
}

void add_assay_matrix(std::vector<Member>& members, const std::string& name, const ValuePtr& value,
                      const View& view) {
  const size_t before = members.size();
  add_member(members, name, value, view);
  if (members.size() == before) return;
  if (name == "counts") members.back().node.role = Role::counts;
  Content& content = members.back().node.content;
  if (const auto* entries = std::get_if<CoordinateMatrix>(&content))
    content = by_columns(CoordinateMatrix(*entries), view.scope->context);
  if (auto* array = std::get_if<LabelledArray>(&content))
    array->is_genes_by_cells = array->values->shape().size() == 2 && array->values->dtype().is_numeric();
}

Json list_of(const Value& value) {
  JsonList list;
  const ArrayPtr elements_of = with_missing_marked(value);
  const Elements elements = read_all(*elements_of);
  for (uint64_t i = 0; i < elements.count; ++i)
    list.add(elements.is_missing(i) ? Json() : json_of(elements_of->dtype(), elements, i));
  return list.take();
}

Attributes attributes_of(const Value& value) {
  static constexpr std::string_view kShown[] = {"names", "dim", "dimnames", "row.names", "levels"};
  Attributes attributes;
  for (const rds::NamedValue& attribute : value.attributes) {
    const bool is_left_out =
        std::find(std::begin(kShown), std::end(kShown), attribute.name) != std::end(kShown);
    if (is_left_out || !attribute.value->is_vector()) continue;
    if (value.type == RType::s4 && attribute.name != "class") continue;
    try {
      attributes.push_back({attribute.name, list_of(*attribute.value)});
    } catch (const Error& error) {
      attributes.push_back({attribute.name, error});
    }
  }
  return attributes;
}

}  // namespace plainfs::robject
