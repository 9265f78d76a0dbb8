#include "fs/native/h5ad.h"

#include <algorithm>

#include "formats/core/model/as_meant.h"
#include "fs/native/checked_numbers.h"
#include "fs/native/h5_layout.h"
#include "fs/native/h5ad_table.h"
#include "fs/native/sparse_majors.h"

namespace plainfs {

namespace {

using hdf5::SkeletonKind;

class H5adWriter {
 public:
  explicit H5adWriter(Context& context) : context_(context), out_(context) {}

  ByteLayout write(const AnnotatedMatrix& matrix);

 private:
  // The sides that a matrix must have.
  struct Extent {
    uint64_t rows;
    std::optional<uint64_t> columns;
  };
  void put(const std::string& path, const Content& content, const Extent& extent);
  void put_sparse(const std::string& path, const SparseMatrix& matrix, const Extent& extent);
  void put_dense(const std::string& path, const LabelledArray& array, const Extent& extent);
  void put_parts(const std::string& path, const std::vector<AnnotatedPart>& parts, const Extent& extent);

  ArrayPtr numbers_of(const ArrayPtr& values);

  Context& context_;
  H5Layout out_;
  bool marks_missing_ = false;
};

void check_extent(const std::string& path, uint64_t rows, uint64_t columns, uint64_t want_rows,
                  std::optional<uint64_t> want_columns) {
  if (rows != want_rows || (want_columns && columns != *want_columns))
    throw damaged("{} is {} by {}, not {} by {}", path, rows, columns, want_rows,
                  want_columns.value_or(columns));
}

void check_rows(const std::string& path, const Table& table, uint64_t want) {
  if (table.rows != want) throw damaged("{} has {} rows, not {}", path, table.rows, want);
}

bool holds_numbers(const DType& type) {
  return type.kind == Kind::boolean || type.kind == Kind::logical || type.kind == Kind::integer ||
         type.kind == Kind::unsigned_integer || type.kind == Kind::real;
}

void H5adWriter::put(const std::string& path, const Content& content, const Extent& extent) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&content))
    return put_sparse(path, evaluated(*sparse), extent);
  if (const auto* array = std::get_if<LabelledArray>(&content))
    return put_dense(path, as_meant(*array), extent);
  if (const auto* table = std::get_if<Table>(&content)) return put_frame(path, *table, context_, out_);
  if (const auto* error = std::get_if<Error>(&content)) throw *error;
  throw unsupported("{} has no place in an .h5ad", path);
}

void H5adWriter::put_sparse(const std::string& path, const SparseMatrix& matrix, const Extent& extent) {
  if (matrix.error) throw *matrix.error;
  if (!holds_numbers(matrix.value->dtype()))
    throw unsupported("a sparse matrix of {}", matrix.value->dtype().name());
  check_extent(path, matrix.rows, matrix.columns, extent.rows, extent.columns);
  const SparseMajors majors(matrix);  // checks that the parts fit
  const uint64_t entries = majors.entries();
  H5Attributes attributes = encoding(matrix.by_row ? "csr_matrix" : "csc_matrix", "0.1.0");
  attributes.push_back({"shape", std::vector<int64_t>{static_cast<int64_t>(matrix.rows),
                                                      static_cast<int64_t>(matrix.columns)}});
  out_.group(path, std::move(attributes));
  // scipy takes indices of 32 bits without a copy, and has no unsigned ones.
  const bool is_small = matrix.rows <= INT32_MAX && matrix.columns <= INT32_MAX;
  const bool is_short = is_small && entries <= INT32_MAX;
  out_.dataset(path + "/data", numbers_of(matrix.value));
  const ArrayPtr indices = indices_below(matrix.index, matrix.by_row ? matrix.columns : matrix.rows,
                                         matrix.by_row ? "column" : "row");
  out_.numbers(path + "/indices", indices, {SkeletonKind::integer, is_small ? 4u : 8u, {entries}},
               is_small ? little_int32() : little_int64());
  out_.numbers(path + "/indptr", matrix.pointer,
               {SkeletonKind::integer, is_short ? 4u : 8u, {matrix.pointer->count()}},
               is_short ? little_int32() : little_int64());
}

// Values of which whole ones may be missing are looked through: no reader has such a matrix but of reals.
ArrayPtr H5adWriter::numbers_of(const ArrayPtr& values) {
  const bool any = marks_missing_ && values->dtype().kind != Kind::real && any_missing(*values, context_);
  return any ? as_reals(values) : without_missing_integers(values);
}

void H5adWriter::put_dense(const std::string& path, const LabelledArray& array, const Extent& extent) {
  Shape shape = array.values->shape();
  if (array.values->column_major()) std::reverse(shape.begin(), shape.end());
  if (shape.empty() || (extent.columns && shape.size() != 2))
    throw unsupported("{} of rank {} has no place in an .h5ad", path, shape.size());
  check_extent(path, shape[0], shape.size() > 1 ? shape[1] : 1, extent.rows, extent.columns);
  const bool is_number = holds_numbers(array.values->dtype());
  out_.dataset(path, is_number ? numbers_of(array.values) : array.values,
               encoding(is_number ? "array" : "string-array", "0.2.0"));
}

void H5adWriter::put_parts(const std::string& path, const std::vector<AnnotatedPart>& parts,
                           const Extent& extent) {
  out_.group(path, encoding("dict", "0.1.0"));
  for (const AnnotatedPart& part : parts) put(path + "/" + part.name, part.content, extent);
}

ByteLayout H5adWriter::write(const AnnotatedMatrix& matrix) {
  const auto has = [](const Content& content) { return !std::holds_alternative<std::monostate>(content); };
  marks_missing_ = matrix.marks_missing;
  out_.group("/", encoding("anndata", "0.1.0"));
  if (has(matrix.x)) put("/X", matrix.x, {matrix.cells, matrix.genes});
  check_rows("/obs", matrix.obs, matrix.cells);
  check_rows("/var", matrix.var, matrix.genes);
  put_parts("/layers", matrix.layers, {matrix.cells, matrix.genes});
  put_frame("/obs", matrix.obs, context_, out_);
  put_parts("/obsm", matrix.obsm, {matrix.cells, {}});
  put_parts("/obsp", matrix.obsp, {matrix.cells, matrix.cells});
  if (matrix.raw) {
    const uint64_t genes = matrix.raw->var.rows;
    out_.group("/raw", encoding("raw", "0.1.0"));
    if (has(matrix.raw->x)) put("/raw/X", matrix.raw->x, {matrix.cells, genes});
    put_frame("/raw/var", matrix.raw->var, context_, out_);
    put_parts("/raw/varm", matrix.raw->varm, {genes, {}});
  }
  put_parts("/uns", {}, {});
  put_frame("/var", matrix.var, context_, out_);
  put_parts("/varm", matrix.varm, {matrix.genes, {}});
  put_parts("/varp", matrix.varp, {matrix.genes, matrix.genes});
  return out_.finish();
}

}  // namespace

ByteLayout h5ad(const AnnotatedMatrix& matrix, Context& context) {
  return H5adWriter(context).write(matrix);
}

}  // namespace plainfs
