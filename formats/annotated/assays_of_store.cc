#include "formats/annotated/assays_of_store.h"

#include <algorithm>
#include <map>

#include "formats/annotated/finders.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/path_names.h"
#include "formats/registry.h"

namespace plainfs::annotated {

namespace {

constexpr const char kAssay[] = "RNA";  // for assays without a name of their own
constexpr size_t kMaxTypes = 64;        // more are no types of features

}  // namespace

std::string assay_name(const Node& directory) {
  if (directory.parts && directory.parts->find("column_data"))
    if (std::string name = directory.parts->attributes().readable().text("mainExpName"); !name.empty())
      return name;
  const GroupPtr room = directory.parts ? directory.parts->parent() : nullptr;
  if (!room || !(room->path().ends_with("/mod") || room->path().ends_with("/assays"))) return kAssay;
  return std::string(last_name(directory.parts->path()));
}

std::vector<AlternativeExperiment> alternative_experiments(const Node& directory, Context& context) {
  const std::optional<Node> list = directory.parts->find("alternative_experiments");
  std::vector<AlternativeExperiment> found;
  if (!list || !list->parts || !directory.parts->find("column_data")) return found;
  std::map<std::string, std::string> names;  // by number
  for (const Member& member : list->parts->members()) {
    const auto* link = std::get_if<Link>(&member.node.content);
    if (link && !link->path.empty()) names[link->path.back()] = member.name;
    if (link || !member.node.parts) continue;
    std::vector<FoundAnnotatedMatrix> matrices;
    find_nested_experiment(refine(member.node, context), context, matrices);
    if (matrices.size() == 1)
      found.push_back({member.name, std::move(matrices.front()), member_path(*list->parts, member.name)});
  }
  for (AlternativeExperiment& experiment : found)
    if (const auto name = names.find(experiment.name); name != names.end()) experiment.name = name->second;
  return found;
}

std::vector<std::pair<std::string, Indices>> features_by_type(const Table& var) {
  const ArrayPtr column = column_values(var.columns, "feature_types");
  if (!column) return {};
  std::vector<std::pair<std::string, std::vector<uint64_t>>> types;
  const Elements all = read_all(*column);
  std::string type;
  for (uint64_t i = 0; i < all.count; ++i) {
    type.clear();
    append_plain(column->dtype(), all, i, type);
    const auto known =
        std::find_if(types.begin(), types.end(), [&](const auto& one) { return one.first == type; });
    if (known == types.end() && types.size() == kMaxTypes) return {};
    (known == types.end() ? types.emplace_back(type, std::vector<uint64_t>()) : *known).second.push_back(i);
  }
  std::stable_partition(types.begin(), types.end(),
                        [](const auto& one) { return one.first == kGeneExpression; });
  std::vector<std::pair<std::string, Indices>> found;
  for (auto& [name, features] : types)
    found.emplace_back(name, std::make_shared<const std::vector<uint64_t>>(std::move(features)));
  return found;
}

}  // namespace plainfs::annotated
