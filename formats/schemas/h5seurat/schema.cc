#include "formats/schemas/h5seurat/schema.h"

#include "formats/schemas/h5seurat/seurat_group.h"

namespace plainfs::h5seurat {
namespace {

// Returns whether the attribute is a text or unreadable: one unreadable attribute does not make it another
// kind of file.
bool is_text(const Attributes& attributes, std::string_view name) {
  try {
    return !attributes.texts(name).empty();
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return true;
  }
}

// Returns the attributes of root. If they are unreadable, a root without the members of every h5Seurat file
// has none.
Attributes attributes_of_root(const Group& root) {
  try {
    return root.attributes();
  } catch (const Error& error) {
    if (is_transient(error) || (root.find("assays") && root.find("cell.names"))) throw;
    return {};
  }
}

// Returns the root of an h5Seurat file that is not refined yet; null for any other node.
GroupPtr raw_seurat_root(const Node& node) {
  const GroupPtr& root = node.parts;
  if (!root || !std::holds_alternative<std::monostate>(node.content) || root->parent()) return nullptr;
  if (dynamic_cast<const SeuratGroup*>(root.get())) return nullptr;
  const Attributes attributes = attributes_of_root(*root);
  for (const std::string_view name : {"project", "active.assay", "version"})
    if (!is_text(attributes, name)) return nullptr;
  return root;
}

Json text_or_null(const std::vector<std::string>& texts) {
  return texts.empty() ? Json() : Json(texts[0]);
}

Json::List names_present(const Group& group, std::initializer_list<std::string_view> names) {
  Json::List present;
  for (const std::string_view name : names)
    if (group.find(name)) present.push_back(Json(name));
  return present;
}

// Calls add(name, group) for each group in the root's group called folder.
template <class Add>
void for_each_group(const Group& root, std::string_view folder, Add&& add) {
  const GroupPtr group = find_group(root, folder);
  if (!group) return;
  for (const Member& member : group->members())
    if (member.node.parts) add(member.name, *member.node.parts);
}

Json assays(const Group& root, const std::string& default_assay) {
  Json::Object all;
  for_each_group(root, "assays", [&](const std::string& name, const Group& assay) {
    Json::Object entry{{"default", Json(name == default_assay)},
                       {"slots", names_present(assay, {"counts", "data", "scale.data"})}};
    if (const ArrayPtr features = find_array(assay, "features"))
      entry.emplace_back("features", Json::of(features->count()));
    all.emplace_back(name, std::move(entry));
  });
  return all;
}

Json reductions(const Group& root) {
  Json::Object all;
  for_each_group(root, "reductions", [&](const std::string& name, const Group& reduction) {
    all.emplace_back(
        name, Json::Object{{"assay", text_or_null(reduction.attributes().texts("active.assay"))},
                           {"parts", names_present(reduction, {"cell.embeddings", "feature.loadings",
                                                               "feature.loadings.projected", "jackstraw"})}});
  });
  return all;
}

// attribute: the attribute that names the assay of an object.
Json belonging(const Group& root, std::string_view folder, std::string_view attribute) {
  Json::Object all;
  for_each_group(root, folder, [&](const std::string& name, const Group& object) {
    all.emplace_back(name, Json::Object{{"assay", text_or_null(object.attributes().texts(attribute))}});
  });
  return all;
}

Json index_of(const Group& root) {
  const auto default_assay = root.attributes().texts("active.assay");
  Json::Object index{{"default.assay", Json(default_assay[0])}};
  if (const ArrayPtr cells = find_array(root, "cell.names"))
    index.emplace_back("cells", Json::of(cells->count()));
  index.emplace_back("assays", assays(root, default_assay[0]));
  index.emplace_back("reductions", reductions(root));
  index.emplace_back("graphs", belonging(root, "graphs", "assay.used"));
  index.emplace_back("images", belonging(root, "images", "assay"));
  return index;
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  const GroupPtr root = raw_seurat_root(node);
  if (!root) return std::nullopt;
  Node refined = node;
  refined.parts =
      std::make_shared<SeuratGroup>(std::make_shared<SeuratFile>(root, context), root, Place{}, nullptr);
  return refined;
}

void describe(const Node& raw_root, Store& store) {
  const GroupPtr root = raw_seurat_root(raw_root);
  if (!root) return;
  store.format = "h5Seurat";
  try {
    store.version = root->attributes().texts("version")[0];
    store.details.emplace_back("h5seurat", index_of(*root));
  } catch (const Error& error) {
    store.details.emplace_back("h5seurat", Json(error.what()));
  }
}

}  // namespace plainfs::h5seurat
