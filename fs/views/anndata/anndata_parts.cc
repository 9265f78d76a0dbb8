#include "fs/views/anndata/anndata_parts.h"

#include <algorithm>

#include "formats/annotated/parts.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/column_order.h"
#include "formats/core/sparse/sparse_majors.h"
#include "fs/views/anndata/anndata_elements.h"
#include "fs/views/matrix/checked_numbers.h"
#include "fs/views/r/seurat_names.h"
#include "fs/views/table/column_types.h"

namespace plainfs {

namespace {

// The required extents of a matrix.
struct Extent {
  std::optional<uint64_t> rows;
  std::optional<uint64_t> columns;
};

// A writer for one element at a path.
class ElementWriter {
 public:
  ElementWriter(const LeftOutLines& lines, bool marks_missing, std::string path, Extent extent)
      : lines_(lines),
        context_(lines.context()),
        marks_missing_(marks_missing),
        path_(std::move(path)),
        extent_(extent) {}

  void put(const Content& content, AnnDataLayout& out) const;
  void put_sparse(const SparseMatrix& matrix, AnnDataLayout& out) const;
  // Puts a matrix that is stored by row as one by column.
  void put_by_column(const SparseMatrix& matrix, AnnDataLayout& out) const;

 private:
  void put_dense(const LabelledArray& array, AnnDataLayout& out) const;
  ArrayPtr numbers_of(const ArrayPtr& values) const;

  const LeftOutLines lines_;
  Context& context_;
  const bool marks_missing_;
  const std::string path_;
  const Extent extent_;
};

void check_extent(const std::string& path, uint64_t rows, uint64_t columns, const Extent& want) {
  if ((want.rows && rows != *want.rows) || (want.columns && columns != *want.columns))
    throw damaged("{} is {} by {}, expected {} by {}", path, rows, columns, want.rows.value_or(rows),
                  want.columns.value_or(columns));
}

void check_rows(const std::string& path, const Table& table, uint64_t want) {
  if (table.rows != want) throw damaged("{} has {} rows, expected {}", path, table.rows, want);
}

void check_is_sparse(const SparseMatrix& matrix) {
  if (matrix.error) throw *matrix.error;
  if (!matrix.value->dtype().is_numeric())
    throw unsupported("a sparse matrix of {}", matrix.value->dtype().name());
}

void ElementWriter::put(const Content& content, AnnDataLayout& out) const {
  if (const auto* sparse = std::get_if<SparseMatrix>(&content)) return put_sparse(evaluated(*sparse), out);
  if (const auto* array = std::get_if<LabelledArray>(&content))
    return put_dense(labelled_values(*array), out);
  if (const auto* table = std::get_if<Table>(&content)) return put_frame(path_, *table, lines_, out);
  if (const auto* error = std::get_if<Error>(&content)) throw *error;
  throw unsupported("{} cannot be stored in an AnnData object", path_);
}

void ElementWriter::put_sparse(const SparseMatrix& matrix, AnnDataLayout& out) const {
  check_is_sparse(matrix);
  check_extent(path_, matrix.rows, matrix.columns, extent_);
  const SparseMajors majors(matrix);  // checks that the parts fit
  const uint64_t entries = majors.entries();
  AnnDataAttributes attributes = anndata_encoding(matrix.by_row ? "csr_matrix" : "csc_matrix", "0.1.0");
  attributes.push_back({"shape", std::vector<int64_t>{static_cast<int64_t>(matrix.rows),
                                                      static_cast<int64_t>(matrix.columns)}});
  out.group(path_, std::move(attributes));
  // scipy uses indices of 32 bits without a copy, and has no unsigned ones.
  const bool is_small = matrix.rows <= INT32_MAX && matrix.columns <= INT32_MAX;
  const bool is_short = is_small && entries <= INT32_MAX;
  out.array(path_ + "/data", numbers_of(matrix.value), {});
  const ArrayPtr indices = indices_below(matrix.index, matrix.minors(), matrix.minor_word());
  out.integers(path_ + "/indices", indices, is_small ? 4 : 8, {});
  out.integers(path_ + "/indptr", matrix.pointer, is_short ? 4 : 8, {});
}

void ElementWriter::put_by_column(const SparseMatrix& matrix, AnnDataLayout& out) const {
  const SparseMatrix stored = evaluated(matrix);
  check_is_sparse(stored);
  put_sparse(by_column(stored, context_), out);
}

// Searches integers and booleans for missing values if some may be missing: readers support missing values
// only in matrices of reals.
ArrayPtr ElementWriter::numbers_of(const ArrayPtr& values) const {
  const bool any = marks_missing_ && values->dtype().kind != Kind::real && has_missing(*values, context_);
  return any ? as_reals(values) : without_missing_integers(values);
}

void ElementWriter::put_dense(const LabelledArray& array, AnnDataLayout& out) const {
  Shape shape = array.values->shape();
  if (array.values->column_major()) std::reverse(shape.begin(), shape.end());
  if (shape.empty() || (extent_.columns && shape.size() != 2))
    throw unsupported("{} of rank {} cannot be stored in an AnnData object", path_, shape.size());
  check_extent(path_, shape[0], shape.size() > 1 ? shape[1] : 1, extent_);
  const DType& type = array.values->dtype();
  const bool is_text = !type.is_numeric() && type.kind != Kind::complex;
  out.array(path_, type.is_numeric() ? numbers_of(array.values) : array.values,
            anndata_encoding(is_text ? "string-array" : "array", "0.2.0"));
}

class AnnDataWriter {
 public:
  AnnDataWriter(const AnnotatedMatrix& matrix, const LeftOutLines& lines, AnnDataLayout& out)
      : matrix_(matrix), lines_(lines), out_(out) {}

  void write(AnnDataAttributes root);
  void write_annotations(AnnDataAttributes root);

 private:
  AnnDataLayout::Put element(const std::string& path, const Content& content, const Extent& extent) const {
    return [writer = writer(path, extent), content](AnnDataLayout& out) { writer.put(content, out); };
  }
  void put_x(const std::string& path, const Content& content, const Extent& extent) {
    if (!std::holds_alternative<std::monostate>(content))
      put_needed(path, element(path, content, extent), lines_, out_);
  }
  void put_table(const std::string& path, const Table& table) {
    const auto put = [path, table, lines = lines_](AnnDataLayout& out) {
      put_frame(path, table, lines, out);
    };
    put_needed(path, put, lines_, out_);
  }
  void put_parts(const std::string& path, const std::vector<AnnotatedPart>& parts, const Extent& extent) {
    out_.group(path, anndata_encoding("dict", "0.1.0"));
    for (const AnnotatedPart& part : parts) put_part(path + "/" + part.name, part, extent);
  }
  void put_part(const std::string& path, const AnnotatedPart& part, const Extent& extent) {
    const bool is_sparse = !part.stored && std::holds_alternative<SparseMatrix>(part.content);
    const std::optional<Error> refusal = is_sparse ? annotated::refusal_of(part.content) : std::nullopt;
    if (refusal) return lines_.refuse(path, refusal->what());
    if (!part.stored) return void(put_if_held(path, element(path, part.content, extent), lines_, out_));
    const auto put = [path, node = *part.stored, lines = lines_](AnnDataLayout& out) {
      put_stored(path, node, lines, out);
    };
    put_if_held(path, put, lines_, out_);
  }
  void put_layers();
  AnnDataLayout::Put pictures() const;

  ElementWriter writer(const std::string& path, const Extent& extent) const {
    return {lines_, matrix_.marks_missing, path, extent};
  }

  const AnnotatedMatrix& matrix_;
  const LeftOutLines lines_;
  AnnDataLayout& out_;
};

// A viewer that shows one gene reads all of a matrix by row, but only the gene's entries of one by column.
// Therefore X by column is available by name among the layers.
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

ArrayPtr single_number(double value) {
  return number_array(std::vector{value}, {});
}

ArrayPtr single_text(const std::string& text) {
  return std::make_shared<MemoryArray>(text_type(), Shape{}, read_all(*text_array({text})));
}

// Returns the names of items as names of members. name_of(item) is the name of an item.
template <class Item, class NameOf>
std::vector<std::string> member_names(const std::vector<Item>& items, NameOf name_of) {
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(name_of(item));
  return names_of_members(std::move(names));
}

// Puts the pictures of one slide into the group `place`.
void put_slide(const std::string& place, const SlidePictures& slide, AnnDataLayout& out) {
  const auto dict = [&](const std::string& group) { out.group(group, anndata_encoding("dict", "0.1.0")); };
  const auto first = [](const auto& pair) { return pair.first; };
  dict(place);
  dict(place + "/images");
  const auto images = member_names(slide.images, [](const Column& image) { return image.name; });
  for (size_t i = 0; i < images.size(); ++i)
    out.array(place + "/images/" + images[i], slide.images[i].values, anndata_encoding("array", "0.2.0"));
  dict(place + "/metadata");
  const auto texts = member_names(slide.metadata, first);
  for (size_t i = 0; i < texts.size(); ++i)
    out.texts(place + "/metadata/" + texts[i], single_text(slide.metadata[i].second),
              anndata_encoding("string", "0.2.0"));
  dict(place + "/scalefactors");
  const auto factors = member_names(slide.factors, first);
  for (size_t i = 0; i < factors.size(); ++i)
    out.array(place + "/scalefactors/" + factors[i], single_number(slide.factors[i].second),
              anndata_encoding("numeric-scalar", "0.2.0"));
}

// Puts the pictures of slides in scanpy's layout.
void put_slides(const std::string& path, const std::vector<SlidePictures>& slides, AnnDataLayout& out) {
  out.group(path, anndata_encoding("dict", "0.1.0"));
  const auto names = member_names(slides, [](const SlidePictures& slide) { return slide.name; });
  for (size_t i = 0; i < slides.size(); ++i) put_slide(path + "/" + names[i], slides[i], out);
}

// Returns a function that puts the pictures of slides into uns; null without pictures, or if uns has them.
AnnDataLayout::Put AnnDataWriter::pictures() const {
  if (!matrix_.pictures || !matrix_.stored_uns.empty()) return nullptr;
  const std::string path = "/uns/spatial";
  const auto put = [path, pictures = matrix_.pictures](AnnDataLayout& out) {
    put_slides(path, pictures(), out);
  };
  return [path, put, lines = lines_](AnnDataLayout& out) { put_if_held(path, put, lines, out); };
}

void AnnDataWriter::write(AnnDataAttributes root) {
  out_.group("/", std::move(root));
  put_x("/X", matrix_.x, {matrix_.cells, matrix_.genes});
  check_rows("/obs", matrix_.obs, matrix_.cells);
  check_rows("/var", matrix_.var, matrix_.genes);
  put_layers();
  put_table("/obs", matrix_.obs);
  put_parts("/obsm", matrix_.obsm, {matrix_.cells, {}});
  put_parts("/obsp", matrix_.obsp, {matrix_.cells, matrix_.cells});
  if (matrix_.raw) {
    const uint64_t genes = matrix_.raw->var.rows;
    out_.group("/raw", anndata_encoding("raw", "0.1.0"));
    put_x("/raw/X", matrix_.raw->x, {matrix_.cells, genes});
    put_table("/raw/var", matrix_.raw->var);
    put_parts("/raw/varm", matrix_.raw->varm, {genes, {}});
  }
  put_uns(matrix_, pictures(), lines_, out_);
  put_table("/var", matrix_.var);
  put_parts("/varm", matrix_.varm, {matrix_.genes, {}});
  put_parts("/varp", matrix_.varp, {matrix_.genes, matrix_.genes});
}

void AnnDataWriter::write_annotations(AnnDataAttributes root) {
  out_.group("/", std::move(root));
  put_table("/obs", matrix_.obs);
  put_parts("/obsm", matrix_.obsm, {matrix_.cells, {}});
  put_parts("/obsp", matrix_.obsp, {matrix_.cells, matrix_.cells});
  put_uns(matrix_, pictures(), lines_, out_);
  put_table("/var", matrix_.var);
  put_parts("/varm", matrix_.varm, {matrix_.genes, {}});
  put_parts("/varp", matrix_.varp, {matrix_.genes, matrix_.genes});
}

}  // namespace

uint32_t bytes_of_codes(uint64_t categories) {
  return categories < INT8_MAX ? 1 : categories < INT16_MAX ? 2 : 4;
}

void put_sparse(const std::string& path, const SparseMatrix& matrix, const LeftOutLines& lines,
                AnnDataLayout& out) {
  ElementWriter(lines, true, path, {}).put_sparse(evaluated(matrix), out);
}

void put_matrix(const AnnotatedMatrix& matrix, AnnDataAttributes root, const LeftOutLines& lines,
                AnnDataLayout& out) {
  AnnDataWriter(matrix, lines, out).write(std::move(root));
}

void put_annotations(const AnnotatedMatrix& matrix, AnnDataAttributes root, const LeftOutLines& lines,
                     AnnDataLayout& out) {
  AnnDataWriter(matrix, lines, out).write_annotations(std::move(root));
}

void put_anndata(const AnnotatedMatrix& matrix, Context& context, AnnDataLayout& out,
                 const std::string& file) {
  const LeftOutLines lines(matrix.origins, file, context);
  put_matrix(matrix, anndata_encoding("anndata", "0.1.0"), lines, out);
  lines.report();
}

std::vector<std::string> names_of_members(std::vector<std::string> names) {
  for (std::string& name : names) {
    std::replace(name.begin(), name.end(), '/', '_');
    if (name.empty() || name == "." || name == "..") name.insert(0, "_");
  }
  return made_unique(std::move(names));
}

}  // namespace plainfs
