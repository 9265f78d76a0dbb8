#include "fs/views/matrix/matrix_files.h"

#include "formats/core/base/error.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/sparse/computed_matrix.h"
#include "formats/core/sparse/coordinate_source.h"
#include "fs/views/array/array_files.h"
#include "fs/views/matrix/gene_matrix.h"

namespace plainfs {

namespace {

// Returns whether a name list is offered: it has the right length, or is damaged, which its file reports. If
// the node cannot be read for now, the right length is unknown.
bool fit(const Array& names, uint64_t length, std::string_view file, const Node& node, Context& context) {
  const uint64_t count = names.count();
  if (count == length) return true;
  try {
    names.check();
  } catch (const Error&) {
    return true;
  }
  if (transient_fault(node)) return true;
  const std::string place = node.parts ? node.parts->path() + ": " : "";
  if (count > 0)
    context.notice(fmt::format("{}{}: {} names for {} are not used", place, file, count, length));
  return false;
}

// Returns the names if they have the right length or are damaged, which the file that shows them reports. The
// files of the names log others.
ArrayPtr names_of_length(const ArrayPtr& names, uint64_t length) {
  if (!names || names->count() == length) return names;
  try {
    names->check();
  } catch (const Error&) {
    return names;
  }
  return nullptr;
}

// The names of a matrix: its rows, with their ids if they have some, and its columns.
struct MatrixNames {
  ArrayPtr row_ids, row_names, column_names;
  uint64_t rows = 0, columns = 0;
};

MatrixNames matrix_names(const Node& node) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&node.content))
    return {sparse->row_ids, sparse->row_names, sparse->column_names, sparse->rows, sparse->columns};
  if (const auto* matrix = std::get_if<CoordinateMatrix>(&node.content))
    return {nullptr, matrix->row_names, matrix->column_names, matrix->rows, matrix->columns};
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || !array->matrix) return {};
  const MatrixFiles& matrix = *array->matrix;
  const Shape& shape = array->values->shape();
  const bool is_turned = matrix.transposed != array->values->column_major();
  return {matrix.row_ids, matrix.row_names, matrix.column_names, shape[is_turned], shape[!is_turned]};
}

}  // namespace

std::unique_ptr<TextSource> csv_of_matrix(const SparseMatrix& matrix, Context& context) {
  if (matrix.error) throw *matrix.error;
  const SparseMatrix stored = evaluated(matrix);
  EntrySourcePtr rows = compressed_source(lists_of(stored));
  if (!stored.by_row) rows = flipped(std::move(rows), context);
  ArrayPtr dense = computed_dense(std::move(rows), true, RepeatedEntries::are_added);
  return csv_array({std::move(dense), matrix.row_names, matrix.column_names}, context);
}

void offer_csv_of_matrix(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* const sparse = std::get_if<SparseMatrix>(&node.content);
  const auto* const entries = std::get_if<CoordinateMatrix>(&node.content);
  if ((!sparse && !entries) || !may_hold_numbers(node)) return;
  SparseMatrix matrix = sparse ? *sparse : by_columns(*entries, context);
  matrix.row_names = names_of_length(matrix.row_names, matrix.rows);
  matrix.column_names = names_of_length(matrix.column_names, matrix.columns);
  row.add(text_opener(context, [matrix, &context] { return csv_of_matrix(matrix, context); }), files);
  files.back().is_never_listed = true;  // it may have a thousand times the bytes of the matrix
}

void offer_mtx_of_array(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || !array->matrix || !may_hold_numbers(node)) return;
  row.add(text_opener(context, [values = array->values, transposed = array->matrix->transposed,
                                &context] { return dense_mtx(values, transposed, context); }),
          files);
}

void offer_row_names(const FileRow& row, const Node& node, Context& context, Files& files) {
  const MatrixNames names = matrix_names(node);
  if (!names.row_names || !fit(*names.row_names, names.rows, row.name, node, context)) return;
  const std::vector<ArrayPtr> fields{names.row_ids ? names.row_ids : names.row_names, names.row_names};
  row.add(text_opener(context, [fields, &context] { return names_tsv(fields, context); }), files);
}

void offer_column_names(const FileRow& row, const Node& node, Context& context, Files& files) {
  const MatrixNames names = matrix_names(node);
  if (!names.column_names || !fit(*names.column_names, names.columns, row.name, node, context)) return;
  row.add(
      text_opener(context, [names = names.column_names, &context] { return names_tsv({names}, context); }),
      files);
}

void offer_bpcells_of_matrix(const FileRow& row, const Node& node, Context& context, Files& files) {
  if (!may_hold_numbers(node)) return;
  const auto add = [&](const SparseMatrix& matrix) {
    files.push_back(row.entry(std::string(row.name)));
    files.back().list = bpcells_directory(matrix, context);
  };
  if (const auto* matrix = std::get_if<SparseMatrix>(&node.content)) add(*matrix);
  if (const auto* matrix = std::get_if<CoordinateMatrix>(&node.content)) add(by_columns(*matrix, context));
}

}  // namespace plainfs
