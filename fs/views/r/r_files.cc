#include "fs/views/r/r_files.h"

#include "formats/annotated/seurat_objects.h"
#include "formats/core/sparse/coordinate_source.h"
#include "fs/views/matrix/gene_matrix.h"
#include "fs/views/r/rds.h"
#include "fs/views/table/table_files.h"

namespace plainfs {

void offer_seurat(const FileRow& row, const Node& node, Context& context, Files& files) {
  const std::optional<FoundSeuratObject> found = find_seurat_object(node, context);
  if (!found) return;
  const auto lay_out = [found = *found, &context] {
    return std::visit([&](const auto& make) { return seurat_rds(make(), context); }, found);
  };
  row.add(layout_opener(context, lay_out, row.version), files);
  // For a single matrix, R users read matrix.rds.
  files.back().is_unlisted = std::holds_alternative<SparseMatrix>(node.content);
}

void offer_rds_of_sparse(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* sparse = std::get_if<SparseMatrix>(&node.content);
  if (!sparse || !may_hold_numbers(node)) return;
  const auto lay_out = [matrix = *sparse, &context] { return sparse_rds(evaluated(matrix), context); };
  row.add(layout_opener(context, lay_out, row.version), files);
}

void offer_rds_of_coordinates(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* entries = std::get_if<CoordinateMatrix>(&node.content);
  if (!entries || !may_hold_numbers(node)) return;
  const auto lay_out = [matrix = *entries, &context] { return coordinates_rds(matrix, context); };
  row.add(layout_opener(context, lay_out, row.version), files);
}

void offer_rds_of_table(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* table = std::get_if<Table>(&node.content);
  if (!table || !can_be_held(*table)) return;
  const std::string place = (node.parts ? node.parts->path() : "a table as ") + ".rds";
  const auto lay_out = [table = *table, place, &context] { return table_rds(table, context, place); };
  row.add(layout_opener(context, lay_out, row.version), files);
}

// Stored codes are replaced by their meaning.
void offer_rds_of_array(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* stored = std::get_if<LabelledArray>(&node.content);
  if (!stored) return;
  const LabelledArray array = labelled_values(*stored);
  if (has_rows(array)) {
    const auto lay_out = [array, &context] { return table_rds(table_of(array), context); };
    row.add(layout_opener(context, lay_out, row.version), files);
  } else if (has_rds(array)) {
    const auto lay_out = [array, &context] { return array_rds(array, context); };
    row.add(layout_opener(context, lay_out, row.version), files);
  }
}

}  // namespace plainfs
