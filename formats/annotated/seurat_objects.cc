#include "formats/annotated/seurat_objects.h"

#include <algorithm>

#include "formats/annotated/anndata_uns.h"
#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/assays_of_store.h"
#include "formats/annotated/finders.h"
#include "formats/annotated/left_out.h"
#include "formats/annotated/parts.h"
#include "formats/annotated/selection.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/text/path_names.h"
#include "formats/registry.h"
#include "formats/schemas/anndata/schema.h"

namespace plainfs {

namespace {

using namespace annotated;

using MakeMatrix = std::function<AnnotatedMatrix()>;

// Returns the annotated matrix of a directory, if it is the only one and has no name of its own there.
std::optional<FoundAnnotatedMatrix> only_matrix(const Node& directory, Context& context) {
  std::vector<FoundAnnotatedMatrix> found = annotated_matrices(directory, context);
  if (found.size() != 1 || found[0].name != "anndata") return std::nullopt;
  return std::move(found[0]);
}

// Returns why it is known that Seurat cannot hold the matrix; "" if it may.
std::string fault_for_seurat(const FoundAnnotatedMatrix& matrix) {
  if (matrix.refusal) return matrix.refusal->what();
  if (matrix.cells == 0) return "it has no cells";
  if (matrix.genes == 0) return "it has no features";
  return matrix.has_counts ? "" : "it has no X, layers/counts or raw/X";
}

struct NamedModality {
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
JointMatrices joined(const GroupPtr& root, const std::vector<NamedModality>& modalities,
                     const std::vector<std::string>& names, Context& context) {
  JointMatrices joint;
  for (const NamedModality& modality : modalities) joint.parts.push_back({modality.name, modality.make()});
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

// Returns the name of the assay of a type of features, as Seurat's own readers call it, or with dots as
// Seurat changes it.
std::string assay_of_type(const std::string& type, const std::string& main) {
  if (type == kGeneExpression) return main;
  if (type == "Antibody Capture") return "ADT";
  if (type == "Peaks") return "ATAC";
  std::string name = type;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-' || c == '/' || c == ','; }, '.');
  return name;
}

// Divides a matrix without layers into one for each type of its features. The first has what belongs to the
// cells, and the loadings.
std::vector<JointMatrices::Part> divided_by_type(const std::string& name, AnnotatedMatrix matrix,
                                                 Context& context) {
  const auto types = features_by_type(matrix.var);
  std::vector<JointMatrices::Part> parts;
  if (types.size() < 2 || !matrix.layers.empty()) {
    parts.push_back({name, std::move(matrix)});
    return parts;
  }
  for (const auto& [type, features] : types) {
    parts.push_back({assay_of_type(type, name), selected_genes(matrix, features, context)});
    if (parts.size() > 1) parts.back().matrix.varm.clear();
  }
  AnnotatedMatrix& first = parts.front().matrix;
  first.obs = matrix.obs;
  first.obsm = matrix.obsm;
  first.obsp = matrix.obsp;
  first.uns = matrix.uns;
  first.slides = matrix.slides;
  first.pictures = matrix.pictures;
  first.origins = matrix.origins;
  return parts;
}

JointMatrices joined_experiments(const std::string& name, const MakeMatrix& make, bool has_feature_types,
                                 const std::vector<AlternativeExperiment>& alternatives, Context& context) {
  JointMatrices joint;
  if (has_feature_types)
    joint.parts = divided_by_type(name, make(), context);
  else
    joint.parts.push_back({name, make()});
  joint.obs = joint.parts[0].matrix.obs;
  joint.is_experiment = joint.parts.size() > 1;
  if (alternatives.empty()) return joint;
  joint.is_experiment = true;
  const auto origins = std::make_shared<Origins>(*joint.parts[0].matrix.origins);
  for (const AlternativeExperiment& experiment : alternatives) {
    joint.parts.push_back({experiment.name, experiment.matrix.make()});
    origins->add_implied(experiment.path);
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
  std::vector<NamedModality> modalities;
  const std::optional<uint64_t> cells = cells_of(root, context);
  const std::vector<std::string> names = anndata::modalities_of(*mod->parts);
  for (const std::string& name : names) {
    const std::optional<Node> node = mod->parts->find(name);
    if (!node || !node->parts) return std::nullopt;
    auto matrix = only_matrix(*node, context);
    if (!matrix) {
      context.notice(fmt::format("seurat.rds: {}: not in the object: not an AnnData with one matrix",
                                 node->parts->path()));
      continue;
    }
    if (const std::string fault = fault_for_seurat(*matrix); !fault.empty()) {
      context.notice(fmt::format("seurat.rds: {}: not in the object: {}", node->parts->path(), fault));
      continue;
    }
    const std::optional<uint64_t> its_cells = cells_of(node->parts, context);
    if (cells && its_cells && *cells != *its_cells) {
      context.notice(fmt::format("no seurat.rds of {}: {} has {} of its {} cells", root->path(), name,
                                 *its_cells, *cells));
      return std::nullopt;
    }
    modalities.push_back({name, [make = std::move(matrix->make), group = node->parts] {
                            AnnotatedMatrix generated = make();
                            generated.origins = std::make_shared<Origins>(generated.origins->within(group));
                            return generated;
                          }});
  }
  if (modalities.empty()) return std::nullopt;
  return [root, modalities, names, &context] { return joined(root, modalities, names, context); };
}

}  // namespace

std::optional<FoundSeuratObject> find_seurat_object(const Node& directory, Context& context) {
  if (auto matrix = only_matrix(directory, context)) {
    if (const std::string fault = fault_for_seurat(*matrix); !fault.empty()) {
      context.notice(fmt::format("no seurat.rds of {}: {}", directory.parts->path(), fault));
      return std::nullopt;
    }
    std::vector<AlternativeExperiment> alternatives = alternative_experiments(directory, context);
    std::erase_if(alternatives, [](const AlternativeExperiment& experiment) {
      return !fault_for_seurat(experiment.matrix).empty();
    });
    return
        [name = matrix->assay.empty() ? assay_name(directory) : matrix->assay, make = std::move(matrix->make),
         has_types = matrix->has_feature_types, alternatives = std::move(alternatives),
         &context] { return joined_experiments(name, make, has_types, alternatives, context); };
  }
  if (auto make = find_stored_seurat(directory, context)) return *std::move(make);
  return find_modalities(directory, context);
}

}  // namespace plainfs
