#include "formats/annotated/seurat_objects.h"

#include <algorithm>

#include "formats/annotated/anndata_uns.h"
#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/finders.h"
#include "formats/annotated/left_out.h"
#include "formats/annotated/parts.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/text/path_names.h"
#include "formats/registry.h"
#include "formats/schemas/anndata/schema.h"

namespace plainfs {

namespace {

using namespace annotated;

constexpr const char kAssay[] = "RNA";  // for assays without a name of their own

// Returns the name of the assay. A modality of a MuData keeps its name, and an experiment may have one.
std::string assay_of(const Node& directory) {
  if (directory.parts && directory.parts->find("column_data"))
    if (std::string name = directory.parts->attributes().readable().text("mainExpName"); !name.empty())
      return name;
  const GroupPtr room = directory.parts ? directory.parts->parent() : nullptr;
  if (!room || !(room->path().ends_with("/mod") || room->path().ends_with("/assays"))) return kAssay;
  return std::string(last_name(directory.parts->path()));
}

using MakeMatrix = std::function<AnnotatedMatrix()>;

// Returns the annotated matrix of a directory, if it is the only one and has no name of its own there.
std::optional<FoundAnnotatedMatrix> only_matrix(const Node& directory, Context& context) {
  std::vector<FoundAnnotatedMatrix> found = annotated_matrices(directory, context);
  if (found.size() != 1 || found[0].name != "anndata") return std::nullopt;
  return std::move(found[0]);
}

// Returns what Seurat requires and the matrix is known to lack; "" if nothing.
std::string_view missing_part(const FoundAnnotatedMatrix& matrix) {
  if (matrix.cells == 0) return "no cells";
  if (matrix.genes == 0) return "no features";
  return matrix.has_counts ? "" : "no X, layers/counts or raw/X";
}

struct Modality {
  std::string name;
  MakeMatrix make;
};

// Returns the number of cells of an AnnData group; nullopt if it is unknown for now.
std::optional<uint64_t> cells_of(const GroupPtr& anndata, Context& context) {
  std::optional<Node> obs = anndata->find("obs");
  if (!obs) return std::nullopt;
  const Node frame = refine(*std::move(obs), context);
  const auto* table = std::get_if<Table>(&frame.content);
  return table ? std::optional(table->rows) : std::nullopt;
}

// names: of all modalities of the store.
JointMatrices joined(const GroupPtr& root, const std::vector<Modality>& modalities,
                     const std::vector<std::string>& names, Context& context) {
  JointMatrices joint;
  for (const auto& [name, make] : modalities) joint.parts.push_back({name, make()});
  const auto obs = content_of<Table>(member_of(root, "obs", context));
  if (!obs) throw unsupported("obs is not a table of AnnData");
  joint.obs = *obs;
  const auto take = [&](std::string_view name, std::vector<AnnotatedPart>& parts) {
    const std::optional<Node> room = member_of(root, name, context);
    if (!room || !room->parts) return;
    for (Member& member : room->parts->members()) {
      const bool is_mask = std::find(names.begin(), names.end(), member.name) != names.end();
      if (is_mask) continue;  // it marks the cells of a modality
      parts.push_back({member.name, readable(std::move(member.node), context).content});
    }
  };
  take("obsm", joint.obsm);
  take("obsp", joint.obsp);
  joint.uns = anndata_uns(root, {}, context).members;
  const auto origins = std::make_shared<Origins>(root);
  origins->add("/", root->path());
  origins->add_implied(member_path(*root, "mod"));
  add_derived_parts(*root, names, *origins);
  joint.origins = origins;
  return joint;
}

// Finds the alternative experiments of an experiment: further assays.
std::vector<Modality> alternative_experiments(const Node& directory, Context& context) {
  const std::optional<Node> list = directory.parts->find("alternative_experiments");
  std::vector<Modality> found;
  if (!list || !list->parts || !directory.parts->find("column_data")) return found;
  for (const Member& member : list->parts->members()) {
    const Node node = refine(member.node, context);
    auto matrix = node.parts ? only_matrix(node, context) : std::nullopt;
    if (matrix && missing_part(*matrix).empty()) found.push_back({member.name, std::move(matrix->make)});
  }
  return found;
}

JointMatrices joined_experiments(const std::string& name, const MakeMatrix& make, const GroupPtr& root,
                                 const std::vector<Modality>& alternatives) {
  JointMatrices joint;
  joint.parts.push_back({name, make()});
  joint.obs = joint.parts[0].matrix.obs;
  if (alternatives.empty()) return joint;
  joint.is_experiment = true;
  const auto origins = std::make_shared<Origins>(*joint.parts[0].matrix.origins);
  for (const Modality& modality : alternatives) {
    joint.parts.push_back({modality.name, modality.make()});
    origins->add_implied(fmt::format("{}/{}", member_path(*root, "alternative_experiments"), modality.name));
  }
  joint.parts[0].matrix.origins = origins;
  return joint;
}

// Finds the modalities of a MuData, a group mod beside obs. They need the same cells: Seurat has one list of
// cells for all assays.
std::optional<FoundSeuratObject> find_modalities(const Node& directory, Context& context) {
  const GroupPtr& root = directory.parts;
  if (!root) return std::nullopt;
  const std::optional<Node> mod = root->find("mod");
  if (!mod || !mod->parts || !root->find("obs")) return std::nullopt;
  std::vector<Modality> modalities;
  const std::optional<uint64_t> cells = cells_of(root, context);
  const std::vector<std::string> names = anndata::modalities_of(*mod->parts);
  for (const std::string& name : names) {
    const std::optional<Node> node = mod->parts->find(name);
    if (!node || !node->parts) return std::nullopt;
    auto matrix = only_matrix(*node, context);
    if (!matrix) return std::nullopt;
    if (const std::string_view missing = missing_part(*matrix); !missing.empty()) {
      context.notice(
          fmt::format("seurat.rds: {}: not in the object: it has {}", node->parts->path(), missing));
      continue;
    }
    const std::optional<uint64_t> its_cells = cells_of(node->parts, context);
    if (cells && its_cells && *cells != *its_cells) {
      context.notice(fmt::format("no seurat.rds of {}: {} has {} of its {} cells", root->path(), name,
                                 *its_cells, *cells));
      return std::nullopt;
    }
    modalities.push_back({name, [make = std::move(matrix->make), group = node->parts] {
                            AnnotatedMatrix made = make();
                            made.origins = std::make_shared<Origins>(made.origins->within(group));
                            return made;
                          }});
  }
  if (modalities.empty()) return std::nullopt;
  return [root, modalities, names, &context] { return joined(root, modalities, names, context); };
}

}  // namespace

std::optional<FoundSeuratObject> find_seurat_object(const Node& directory, Context& context) {
  if (auto matrix = only_matrix(directory, context)) {
    if (const std::string_view missing = missing_part(*matrix); !missing.empty()) {
      context.notice(fmt::format("no seurat.rds of {}: it has {}", directory.parts->path(), missing));
      return std::nullopt;
    }
    return
        [name = matrix->assay.empty() ? assay_of(directory) : matrix->assay, make = std::move(matrix->make),
         root = directory.parts, alternatives = alternative_experiments(directory, context)] {
          return joined_experiments(name, make, root, alternatives);
        };
  }
  if (auto make = find_stored_seurat(directory, context)) return *std::move(make);
  return find_modalities(directory, context);
}

}  // namespace plainfs
