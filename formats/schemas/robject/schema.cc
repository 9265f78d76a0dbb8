#include "formats/schemas/robject/schema.h"

#include <algorithm>

#include "formats/containers/rds/container.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

// Returns a root that holds one array or table, called name.
Node root_with(const std::string& name, const ValuePtr& value, const ScopePtr& scope) {
  Node root;
  root.attributes = [value] { return attributes_of(*value); };
  root.parts = directory_at(View{scope, {}}, [name, value](const View& inside) {
    std::vector<Member> members;
    add_member(members, name, value, inside);
    for (Member& member : members) member.node.attributes = [] { return Attributes(); };
    return members;
  });
  return root;
}

Node root_of(const ValuePtr& value, const ScopePtr& scope) {
  if (is_frame(*value)) return root_with("table", value, scope);
  const bool is_array =
      value->is_vector() || dense_matrix(*value) || expanded_rle(*value) || is_delayed(*value);
  if (is_array) return root_with("array", value, scope);
  std::optional<Node> node = node_of(value, View{scope, {}});
  if (!node) throw unsupported("the R object holds no data");
  return *std::move(node);
}

Json names_of(const ValuePtr& list) {
  Json::List names;
  if (list && list->type == RType::list)
    for (const std::string& name : list->item_names().value_or(std::vector<std::string>()))
      names.emplace_back(name);
  return Json(std::move(names));
}

Json about_seurat(const Value& object) {
  Json::Object about;
  if (const ValuePtr assay = object.attribute("active.assay"))
    about.emplace_back("default.assay", Json(assay->single_text().value_or("")));
  if (const ValuePtr meta = object.attribute("meta.data"); meta && is_frame(*meta))
    about.emplace_back("cells", Json::of(frame_rows(*meta)));
  for (const char* slot : {"assays", "reductions", "graphs", "images"})
    about.emplace_back(slot, names_of(object.attribute(slot)));
  return Json(std::move(about));
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (const auto* raw = dynamic_cast<const rds::ValueGroup*>(node.parts.get())) {
    const auto scope = std::make_shared<const Scope>(Scope{context, raw->location()});
    return root_of(raw->value(), scope);
  }
  if (dynamic_cast<const Directory*>(node.parts.get())) return node;
  return std::nullopt;
}

rds::ValuePtr value_of(const Group& directory) {
  const auto* own = dynamic_cast<const Directory*>(&stored_group(directory));
  return own ? own->value : nullptr;
}

std::vector<Member> attribute_nodes(const rds::Value& vector, Context& context) {
  static constexpr std::string_view kOwn[] = {"names", "dim", "dimnames", "class", "levels"};
  const View view{std::make_shared<const Scope>(Scope{context, ""}), {}};
  std::vector<Member> members;
  for (const rds::NamedValue& attribute : vector.attributes)
    if (std::find(std::begin(kOwn), std::end(kOwn), attribute.name) == std::end(kOwn))
      add_member(members, attribute.name, attribute.value, view);
  return members;
}

ArrayPtr elements_of(const rds::Value& vector) {
  return with_missing_marked(vector);
}

void describe(const Node& raw_root, Store& store) {
  const auto* raw = dynamic_cast<const rds::ValueGroup*>(raw_root.parts.get());
  if (!raw) return;
  Json::List classes;
  for (const std::string& name : raw->value()->classes()) classes.emplace_back(name);
  if (!classes.empty()) store.details.emplace_back("class", Json(std::move(classes)));
  if (is_seurat(*raw->value())) store.details.emplace_back("seurat", about_seurat(*raw->value()));
}

}  // namespace plainfs::robject
