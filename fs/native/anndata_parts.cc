#include "fs/native/anndata_parts.h"

#include <algorithm>

#include "formats/core/model/node.h"
#include "fs/native/anndata_table.h"
#include "fs/native/checked_numbers.h"
#include "fs/native/column_order.h"
#include "fs/native/sparse_majors.h"

namespace plainfs {

namespace {

// The sides that a matrix must have.
struct Extent {
  uint64_t rows;
  std::optional<uint64_t> columns;
};

// Puts one element at path.
class ElementWriter {
 public:
  ElementWriter(Context& context, bool marks_missing, std::string path, Extent extent)
      : context_(context), marks_missing_(marks_missing), path_(std::move(path)), extent_(extent) {}

  void put(const Content& content, AnnDataLayout& out) const;
  // A matrix that is stored by row as one by column.
  void put_by_column(const SparseMatrix& matrix, AnnDataLayout& out) const;

 private:
  void put_sparse(const SparseMatrix& matrix, AnnDataLayout& out) const;
  void put_dense(const LabelledArray& array, AnnDataLayout& out) const;
  ArrayPtr numbers_of(const ArrayPtr& values) const;

  Context& context_;
  const bool marks_missing_;
  const std::string path_;
  const Extent extent_;
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

void check_is_sparse(const SparseMatrix& matrix) {
  if (matrix.error) throw *matrix.error;
  if (!matrix.value->dtype().is_numeric())
    throw unsupported("a sparse matrix of {}", matrix.value->dtype().name());
}

void ElementWriter::put(const Content& content, AnnDataLayout& out) const {
  if (const auto* sparse = std::get_if<SparseMatrix>(&content)) return put_sparse(evaluated(*sparse), out);
  if (const auto* array = std::get_if<LabelledArray>(&content)) return put_dense(as_meant(*array), out);
  if (const auto* table = std::get_if<Table>(&content)) return put_frame(path_, *table, context_, out);
  if (const auto* error = std::get_if<Error>(&content)) throw *error;
  throw unsupported("{} has no place in an AnnData", path_);
}

void ElementWriter::put_sparse(const SparseMatrix& matrix, AnnDataLayout& out) const {
  check_is_sparse(matrix);
  check_extent(path_, matrix.rows, matrix.columns, extent_.rows, extent_.columns);
  const SparseMajors majors(matrix);  // checks that the parts fit
  const uint64_t entries = majors.entries();
  AnnDataAttributes attributes = encoding(matrix.by_row ? "csr_matrix" : "csc_matrix", "0.1.0");
  attributes.push_back({"shape", std::vector<int64_t>{static_cast<int64_t>(matrix.rows),
                                                      static_cast<int64_t>(matrix.columns)}});
  out.group(path_, std::move(attributes));
  // scipy takes indices of 32 bits without a copy, and has no unsigned ones.
  const bool is_small = matrix.rows <= INT32_MAX && matrix.columns <= INT32_MAX;
  const bool is_short = is_small && entries <= INT32_MAX;
  out.array(path_ + "/data", numbers_of(matrix.value), {});
  const ArrayPtr indices = indices_below(matrix.index, matrix.by_row ? matrix.columns : matrix.rows,
                                         matrix.by_row ? "column" : "row");
  out.integers(path_ + "/indices", indices, is_small ? 4 : 8, {});
  out.integers(path_ + "/indptr", matrix.pointer, is_short ? 4 : 8, {});
}

void ElementWriter::put_by_column(const SparseMatrix& matrix, AnnDataLayout& out) const {
  const SparseMatrix stored = evaluated(matrix);
  check_is_sparse(stored);
  put_sparse(by_column(stored, context_), out);
}

// Values of which whole ones may be missing are looked through: no reader has such a matrix but of reals.
ArrayPtr ElementWriter::numbers_of(const ArrayPtr& values) const {
  const bool any = marks_missing_ && values->dtype().kind != Kind::real && any_missing(*values, context_);
  return any ? as_reals(values) : without_missing_integers(values);
}

void ElementWriter::put_dense(const LabelledArray& array, AnnDataLayout& out) const {
  Shape shape = array.values->shape();
  if (array.values->column_major()) std::reverse(shape.begin(), shape.end());
  if (shape.empty() || (extent_.columns && shape.size() != 2))
    throw unsupported("{} of rank {} has no place in an AnnData", path_, shape.size());
  check_extent(path_, shape[0], shape.size() > 1 ? shape[1] : 1, extent_.rows, extent_.columns);
  const bool is_number = array.values->dtype().is_numeric();
  out.array(path_, is_number ? numbers_of(array.values) : array.values,
            encoding(is_number ? "array" : "string-array", "0.2.0"));
}

class AnnDataWriter {
 public:
  AnnDataWriter(const AnnotatedMatrix& matrix, Context& context, AnnDataLayout& out)
      : matrix_(matrix), context_(context), out_(out) {}

  void write();

 private:
  void put(const std::string& path, const Content& content, const Extent& extent) {
    if (std::holds_alternative<std::monostate>(content)) return;
    out_.part(path,
              [writer = writer(path, extent), content](AnnDataLayout& out) { writer.put(content, out); });
  }
  void put_table(const std::string& path, const Table& table) {
    out_.part(path, [path, table, &context = context_](AnnDataLayout& out) {
      put_frame(path, table, context, out);
    });
  }
  void put_parts(const std::string& path, const std::vector<AnnotatedPart>& parts, const Extent& extent) {
    out_.group(path, encoding("dict", "0.1.0"));
    for (const AnnotatedPart& part : parts) put(path + "/" + part.name, part.content, extent);
  }
  void put_layers();

  ElementWriter writer(const std::string& path, const Extent& extent) const {
    return {context_, matrix_.marks_missing, path, extent};
  }

  const AnnotatedMatrix& matrix_;
  Context& context_;
  AnnDataLayout& out_;
};

// A viewer that shows one gene reads all of a matrix by row, and of one by column its entries: X in that
// form is found by its name among the layers.
void AnnDataWriter::put_layers() {
  const Extent extent{matrix_.cells, matrix_.genes};
  put_parts("/layers", matrix_.layers, extent);
  const auto* x = std::get_if<SparseMatrix>(&matrix_.x);
  const std::string name = "X_csc";
  const bool is_taken = std::any_of(matrix_.layers.begin(), matrix_.layers.end(),
                                    [&](const AnnotatedPart& layer) { return layer.name == name; });
  if (!x || !x->by_row || is_taken) return;
  const std::string path = "/layers/" + name;
  out_.unlisted_part(path, [writer = writer(path, extent), matrix = *x](AnnDataLayout& out) {
    writer.put_by_column(matrix, out);
  });
}

void AnnDataWriter::write() {
  out_.group("/", encoding("anndata", "0.1.0"));
  put("/X", matrix_.x, {matrix_.cells, matrix_.genes});
  check_rows("/obs", matrix_.obs, matrix_.cells);
  check_rows("/var", matrix_.var, matrix_.genes);
  put_layers();
  put_table("/obs", matrix_.obs);
  put_parts("/obsm", matrix_.obsm, {matrix_.cells, {}});
  put_parts("/obsp", matrix_.obsp, {matrix_.cells, matrix_.cells});
  if (matrix_.raw) {
    const uint64_t genes = matrix_.raw->var.rows;
    out_.group("/raw", encoding("raw", "0.1.0"));
    put("/raw/X", matrix_.raw->x, {matrix_.cells, genes});
    put_table("/raw/var", matrix_.raw->var);
    put_parts("/raw/varm", matrix_.raw->varm, {genes, {}});
  }
  put_parts("/uns", {}, {});
  put_table("/var", matrix_.var);
  put_parts("/varm", matrix_.varm, {matrix_.genes, {}});
  put_parts("/varp", matrix_.varp, {matrix_.genes, matrix_.genes});
}

}  // namespace

void put_anndata(const AnnotatedMatrix& matrix, Context& context, AnnDataLayout& out) {
  AnnDataWriter(matrix, context, out).write();
}

}  // namespace plainfs
