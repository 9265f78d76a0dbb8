#include "fs/views/matrix/gene_matrix.h"

#include "formats/core/base/error.h"
#include "formats/core/model/transient_fault.h"

namespace plainfs {

namespace {

// is_known: the node's parts can be read now. Otherwise their lengths are meaningless.
bool are_names(const ArrayPtr& names, uint64_t length, bool is_known) {
  return names && (!is_known || names->count() == length);
}

}  // namespace

bool may_hold_numbers(const Node& node) {
  ArrayPtr values;
  if (const auto* sparse = std::get_if<SparseMatrix>(&node.content)) {
    if (sparse->error) return sparse->error->code() != Errc::unsupported;
    values = sparse->value || !sparse->as_stored ? sparse->value : sparse->as_stored->value;
  } else if (const auto* entries = std::get_if<CoordinateMatrix>(&node.content)) {
    values = entries->value;
  } else if (const auto* array = std::get_if<LabelledArray>(&node.content)) {
    values = array->values;
  }
  return !values || transient_fault(node) || values->dtype().is_numeric();
}

std::optional<GeneMatrix> gene_matrix(const Node& node) {
  if (!may_hold_numbers(node)) return std::nullopt;
  const bool is_known = !transient_fault(node);
  GeneMatrix generated;
  uint64_t genes = 0, cells = 0;
  if (const auto* matrix = std::get_if<SparseMatrix>(&node.content)) {
    generated = {matrix->row_names, matrix->column_names, matrix->row_ids};
    genes = matrix->rows;
    cells = matrix->columns;
  } else if (const auto* array = std::get_if<LabelledArray>(&node.content); array && array->matrix) {
    const MatrixFiles& files = *array->matrix;
    const Shape& shape = array->values->shape();
    const bool turned = files.transposed != array->values->column_major();
    generated = {files.row_names, files.column_names, files.row_ids, turned};
    genes = shape[turned];
    cells = shape[!turned];
  }
  if (!are_names(generated.genes, genes, is_known) || !are_names(generated.cells, cells, is_known))
    return std::nullopt;
  if (generated.genes == generated.cells) return std::nullopt;
  return generated;
}

}  // namespace plainfs
