// The details of an AnnData or MuData in info.json.
#include <algorithm>

#include "formats/core/frames/names.h"
#include "formats/schemas/anndata/elements.h"
#include "formats/schemas/anndata/group.h"
#include "formats/schemas/anndata/legacy.h"
#include "formats/schemas/anndata/schema.h"

namespace plainfs::anndata {
namespace {

Json::List names_in(const Group& root, std::string_view name) {
  Json::List names;
  const GroupPtr group = find_group(root, name);
  if (!group) return names;
  for (const Member& member : group->members()) names.push_back(Json(member.name));
  return names;
}

// Returns the number of names on the side; null if they are unknown or cannot be read.
Json count_of(const Sides& sides, Side side) {
  const ArrayPtr names = sides.of(side).names;
  return names && frames::is_readable(*names) ? Json::of(names->count()) : Json();
}

struct MatrixKind {
  Json kind;   // "csr", "csc", "dense", null
  Json dtype;  // of its values; null if it has none
};

MatrixKind matrix_kind(const Group& root) {
  const std::string path[] = {"X"};
  const std::optional<Node> node = find_path(root, path);
  if (!node || is_null_element(*node)) return {};
  if (const auto* array = std::get_if<LabelledArray>(&node->content))
    return {"dense", Json(array->values->dtype().name())};
  if (!node->parts) return {};
  const auto matrix = sparse_matrix(*node->parts, node->parts->attributes(), false);
  if (!matrix) return {};
  return {matrix->by_row ? "csr" : "csc", Json(matrix->value->dtype().name())};
}

// Returns the oldest version with this layout. If obsm is one compound, it is shown as a group and has
// attributes.
std::string encoding_of(const Group& root) {
  if (is_legacy_root(root)) {
    const std::optional<Node> obsm = root.find("obsm");
    return obsm && obsm->attributes ? "0.5" : "0.6";
  }
  const GroupPtr obs = find_group(root, "obs");
  const auto encoding = obs ? frames::encoding_of(obs->attributes()) : std::nullopt;
  return encoding && encoding->version == "0.1.0" ? "0.7" : "0.8";
}

void add_names(Json::Object& about, const Group& root, std::initializer_list<std::string_view> groups) {
  for (const std::string_view name : groups) about.emplace_back(name, names_in(root, name));
}

Json anndata_info(const AnnDataGroup& anndata) {
  const Sides& sides = anndata.sides();
  const Group& root = sides.root();
  const MatrixKind matrix = matrix_kind(root);
  Json::Object about{{"n_obs", count_of(sides, Side::obs)},
                     {"n_vars", count_of(sides, Side::var)},
                     {"X", matrix.kind},
                     {"dtype", matrix.dtype}};
  add_names(about, root, {"layers", "obsm", "varm", "obsp", "varp", "uns"});
  about.emplace_back("raw", count_of(sides, Side::raw_var));
  about.emplace_back("encoding", Json(encoding_of(root)));
  return about;
}

const AnnDataGroup* as_anndata(const std::optional<Node>& node, Section section) {
  const auto* group = node ? dynamic_cast<const AnnDataGroup*>(node->parts.get()) : nullptr;
  return group && group->section() == section ? group : nullptr;
}

Json mudata_info(const AnnDataGroup& mudata) {
  const Sides& sides = mudata.sides();
  const Attributes attributes = mudata.attributes();
  const Json* axis = attributes.find("axis");
  Json::Object about{{"n_obs", count_of(sides, Side::obs)},
                     {"n_vars", count_of(sides, Side::var)},
                     {"axis", axis ? *axis : Json::of(int64_t{0})}};
  Json::Object modalities;
  if (const GroupPtr mod = find_group(mudata, "mod")) {
    for (const std::string& name : modalities_of(*mod)) {
      const std::optional<Node> node = mod->find(name);
      if (const AnnDataGroup* anndata = as_anndata(node, Section::anndata))
        modalities.emplace_back(name, anndata_info(*anndata));
    }
  }
  about.emplace_back("modalities", std::move(modalities));
  add_names(about, sides.root(), {"obsm", "varm", "obsp", "varp", "uns"});
  return about;
}

void add_details(Store& store, const char* format, const char* key, Json (*make)(const AnnDataGroup&),
                 const AnnDataGroup& group) {
  store.details.emplace_back("container", Json(store.format));
  store.format = format;
  try {
    store.details.emplace_back(key, make(group));
  } catch (const Error& error) {
    store.details.emplace_back(key, Json(error.what()));
  }
}

}  // namespace

std::vector<std::string> modalities_of(const Group& mod) {
  std::vector<std::string> names;
  for (const Member& member : mod.members())
    if (member.node.parts) names.push_back(member.name);
  auto next = names.begin();
  for (const std::string& name : mod.attributes().texts("mod-order"))
    if (const auto found = std::find(next, names.end(), name); found != names.end())
      std::rotate(next++, found, found + 1);
  return names;
}

void describe(const Node&, Store& store) {
  if (const AnnDataGroup* anndata = as_anndata(store.root, Section::anndata))
    add_details(store, "AnnData", "anndata", anndata_info, *anndata);
  else if (const AnnDataGroup* mudata = as_anndata(store.root, Section::mudata))
    add_details(store, "MuData", "mudata", mudata_info, *mudata);
}

}  // namespace plainfs::anndata
