#include "formats/annotated/annotated_matrices.h"

#include <algorithm>

#include "formats/annotated/chosen_parts.h"
#include "formats/annotated/experiment_annotations.h"
#include "formats/annotated/finders.h"
#include "formats/annotated/left_out.h"
#include "formats/annotated/parts.h"
#include "formats/annotated/run_tables.h"
#include "formats/annotated/selection.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"
#include "formats/schemas/loom/loom_file.h"

namespace plainfs {

namespace {

using namespace annotated;

constexpr const char* kName = "anndata";

AnnotatedMatrix of_sparse(const SparseMatrix& matrix, ArrayPtr types = nullptr) {
  AnnotatedMatrix generated;
  generated.cells = matrix.columns;
  generated.genes = matrix.rows;
  generated.x = transposed(matrix);
  generated.obs = named_rows(matrix.columns, matrix.column_names);
  generated.var = genes_of(matrix.rows, matrix.row_names, matrix.row_ids, types);
  return generated;
}

// Adds the columns of the table of features that have no place of their own.
void add_feature_columns(const Node& matrix, AnnotatedMatrix& generated, Context& context) {
  const auto features = content_of<Table>(member_of(matrix.parts, "features", context));
  if (!features || features->rows != generated.genes) return;
  for (const Column& column : features->columns)
    if (column.name != "id" && column.name != "name" && column.name != "feature_type")
      generated.var.columns.push_back(column);
}

// Sets the numbers of cells and genes, and the refusal. The numbers of a damaged matrix are unknown.
void describe(const SparseMatrix& matrix, FoundAnnotatedMatrix& found) {
  found.refusal = refusal_of(matrix);
  if (matrix.error) return;
  found.cells = matrix.columns;
  found.genes = matrix.rows;
}

// Adds the columns of the table of the cells beside a matrix, which are text, with the types of their values.
void add_cell_columns(const Node& root, AnnotatedMatrix& generated) {
  const auto table = content_of<Table>(root.parts->find("obs"));
  if (!table || table->rows != generated.cells || !table->row_names || !generated.obs.row_names) return;
  Table with_names{table->rows, nullptr, {{table->index_name, table->row_names}}};
  with_names.columns.insert(with_names.columns.end(), table->columns.begin(), table->columns.end());
  const RunTable rows(std::move(with_names), RunCells(generated.obs.row_names), "/obs");
  for (size_t i = 1; i < rows.columns(); ++i) generated.obs.columns.push_back({rows.name(i), rows.column(i)});
}

// Returns the matrix of a store that is one sparse matrix of genes by cells, with those beside it in `layers`
// and the types of its features.
AnnotatedMatrix of_sparse_root(const Node& root, const SparseMatrix& matrix, Context& context) {
  AnnotatedMatrix generated = of_sparse(matrix, feature_types(root, matrix.rows, context));
  add_cell_columns(root, generated);
  const std::optional<Node> layers = root.parts->find("layers");
  if (!layers || !layers->parts) return generated;
  for (Member& layer : layers->parts->members()) {
    const Node node = readable(std::move(layer.node), context);
    const auto* sparse = std::get_if<SparseMatrix>(&node.content);
    if (sparse && sparse->rows == matrix.rows && sparse->columns == matrix.columns)
      generated.layers.push_back({layer.name, cells_by_genes(node.content)});
    else
      note_left_out(layers->parts, layer.name, context);
  }
  return generated;
}

// Finds the matrix of a store that is one sparse matrix of genes by cells.
void find_sparse_root(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found) {
  const auto* matrix = std::get_if<SparseMatrix>(&directory.content);
  if (!matrix || !directory.parts || directory.parts->parent()) return;
  if (!matrix->row_names || !matrix->column_names) return;
  found.push_back(
      {kName, [directory, matrix = *matrix, &context] { return of_sparse_root(directory, matrix, context); },
       directory.parts->find("obs").has_value()});
  found.back().has_feature_types = true;
  describe(*matrix, found.back());
}

AnnotatedMatrix of_tenx(const Node& node, const SparseMatrix& matrix, const GroupPtr& root,
                        Context& context) {
  AnnotatedMatrix generated = of_sparse(matrix, feature_types(node, matrix.rows, context));
  add_feature_columns(node, generated, context);
  const auto origins = std::make_shared<Origins>(root);
  origins->add("/X", node.parts->path());
  generated.origins = origins;
  return generated;
}

// Finds the matrix of Cell Ranger's .h5, version 2: the member matrix of the root, with ids of its features.
void find_tenx(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found) {
  if (!directory.parts || directory.parts->parent()) return;
  for (const Member& member : directory.parts->members()) {
    if (member.name != "matrix") continue;
    const auto* matrix = std::get_if<SparseMatrix>(&member.node.content);
    const std::optional<Error> fault = transient_fault(member.node);
    if (!matrix && member.node.parts && fault)
      found.push_back({kName, [fault]() -> AnnotatedMatrix { throw *fault; }});
    if (matrix && matrix->row_ids)
      found.push_back({kName, [node = member.node, matrix = *matrix, root = directory.parts, &context] {
                         return of_tenx(node, matrix, root, context);
                       }});
    if (!matrix || !matrix->row_ids) continue;
    found.back().has_feature_types = true;
    describe(*matrix, found.back());
  }
}

// Returns the matrix of a loom file: a dense matrix of genes by cells beside the tables of its rows and
// columns.
AnnotatedMatrix of_loom(const LabelledArray& matrix, const Table& row_attrs, const Table& col_attrs,
                        const GroupPtr& root, Context& context) {
  AnnotatedMatrix generated;
  const Extent extent = *extent_of(matrix);
  generated.genes = extent.rows;
  generated.cells = extent.columns;
  generated.x = cells_by_genes(matrix);
  generated.obs = named_rows(generated.cells, matrix.matrix->column_names);
  generated.obs.columns = col_attrs.columns;
  if (const auto file = loom::loom_file_in(*root)) generated.obs_names = file->column_names.attribute;
  generated.var = genes_of(generated.genes, matrix.matrix->row_names, matrix.matrix->row_ids, nullptr);
  for (const Column& column : row_attrs.columns)
    if (!find_column(generated.var.columns, column.name)) generated.var.columns.push_back(column);
  const auto origins = std::make_shared<Origins>(root);
  for (const auto& [place, stored] :
       {std::pair("/X", "/matrix"), {"/obs", "/col_attrs"}, {"/var", "/row_attrs"}})
    origins->add(place, stored);
  origins->add("/layers", "/layers");
  add_loom_parts(root, generated, *origins, context);
  generated.origins = origins;
  const std::optional<Node> layers = root->find("layers");
  if (!layers || !layers->parts) return generated;
  for (Member& layer : layers->parts->members()) {
    const Node node = readable(std::move(layer.node), context);
    const std::optional<Extent> same = extent_of(node.content);
    if (same && same->rows == generated.genes && same->columns == generated.cells)
      generated.layers.push_back({layer.name, cells_by_genes(node.content)});
  }
  return generated;
}

void find_loom(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found) {
  if (!directory.parts || directory.parts->parent()) return;
  const LabelledArray* matrix = nullptr;
  const Table *row_attrs = nullptr, *col_attrs = nullptr;
  const std::vector<Member> members = directory.parts->members();
  for (const Member& member : members) {
    if (member.name == "matrix") matrix = std::get_if<LabelledArray>(&member.node.content);
    if (member.name == "row_attrs") row_attrs = std::get_if<Table>(&member.node.content);
    if (member.name == "col_attrs") col_attrs = std::get_if<Table>(&member.node.content);
  }
  if (!matrix || !matrix->matrix || !row_attrs || !col_attrs) return;
  found.push_back({kName,
                   [matrix = *matrix, row_attrs = *row_attrs, col_attrs = *col_attrs, root = directory.parts,
                    &context] { return of_loom(matrix, row_attrs, col_attrs, root, context); },
                   !col_attrs->columns.empty()});
  if (const std::optional<Extent> extent = extent_of(*matrix)) {
    found.back().cells = extent->columns;
    found.back().genes = extent->rows;
  }
}

// Finds the matrix of an AnnotatedGroup.
void find_annotated_group(const Node& directory, std::vector<FoundAnnotatedMatrix>& found) {
  if (!directory.parts) return;
  const GroupPtr group = stored_group(*directory.parts).shared_from_this();
  if (const auto own = std::dynamic_pointer_cast<const AnnotatedGroup>(group))
    found.push_back({kName, [own] { return own->matrix(); }, true});
}

// Returns the matrices that are shown in the directory itself: one at most.
std::vector<FoundAnnotatedMatrix> find_own(const Node& directory, Context& context) {
  std::vector<FoundAnnotatedMatrix> found;
  if (std::holds_alternative<PlainFile>(
          directory.content)) {  // a mirrored folder, in which no store is opened
    find_run(directory, context, found);
    return found;
  }
  find_annotated_group(directory, found);
  if (found.empty()) find_sparse_root(directory, context, found);
  if (found.empty()) find_tenx(directory, context, found);
  if (found.empty()) find_loom(directory, context, found);
  if (found.empty()) find_anndata(directory, context, found);
  if (found.empty()) find_experiment(directory, context, found);
  return found;
}

// Lets found matrices have the parts that the options choose.
void choose_parts(std::vector<FoundAnnotatedMatrix>& found, Context& context) {
  if (context.options.x_layer.empty() && context.options.without.empty()) return;
  for (FoundAnnotatedMatrix& one : found)
    one.make = [make = std::move(one.make), &context] { return chosen_parts(make(), context.options); };
}

// Returns the group that contains a matrix. A sparse matrix is a group itself, a dense one holds its place.
GroupPtr place_of(const Node& matrix) {
  if (matrix.parts) return matrix.parts->parent();
  const auto* array = std::get_if<LabelledArray>(&matrix.content);
  return array && array->matrix ? array->matrix->place : nullptr;
}

// Returns whether group is the member of other called name, or below it.
bool is_below(const Group& group, const Group& other, std::string_view name) {
  const std::string above = other.path();
  return (group.path() + "/").starts_with(fmt::format("{}/{}/", above == "/" ? "" : above, name));
}

}  // namespace

std::vector<FoundAnnotatedMatrix> annotated_matrices(const Node& directory, Context& context) {
  return finding_about<std::vector<FoundAnnotatedMatrix>>(directory, [&] {
    std::vector<FoundAnnotatedMatrix> found = find_own(directory, context);
    if (found.empty()) find_seurat_assays(directory, context, found);
    choose_parts(found, context);
    return found;
  });
}

std::optional<FoundAnnotatedMatrix> annotated_matrix_of(const Node& directory, Context& context) {
  using Found = std::optional<FoundAnnotatedMatrix>;
  return finding_about<Found>(directory, [&]() -> Found {
    std::vector<FoundAnnotatedMatrix> found = find_own(directory, context);
    if (found.empty()) return find_seurat_assay(directory, context);
    if (found.size() != 1) return std::nullopt;
    return std::move(found.front());
  });
}

ArrayPtr feature_types(const Node& matrix, uint64_t rows, Context& context) {
  const auto fitting = [rows](ArrayPtr types) {
    if (types) types->check();
    return types && types->count() == rows ? types : nullptr;
  };
  // Cell Ranger stores features in the matrix's own group.
  const auto features = member_of(matrix.parts, "features", context);
  if (features && features->parts) {
    const auto types = content_of<LabelledArray>(member_of(features->parts, "feature_type", context));
    return types ? fitting(types->values) : nullptr;
  }
  // AnnData stores them in a column of var, beside X or above the layers. Names of layers may be paths.
  const GroupPtr place = place_of(matrix);
  int above = 0;
  for (GroupPtr group = place; group; ++above, group = group->parent()) {
    if (above > 1 && !is_below(*place, *group, "layers")) continue;
    const auto var = content_of<Table>(member_of(group, "var", context));
    if (!var) continue;
    const ArrayPtr types = column_values(var->columns, "feature_types");
    return types ? fitting(types) : nullptr;
  }
  return nullptr;
}

}  // namespace plainfs
