#include "fs/views/anndata/anndata_parts.h"

#include <algorithm>
#include <unordered_map>

#include "formats/core/base/checked.h"
#include "formats/core/model/derived_array.h"
#include "formats/core/model/generated_array.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/column_order.h"
#include "formats/core/sparse/sparse_majors.h"
#include "fs/layout/text_segments.h"
#include "fs/views/matrix/checked_numbers.h"
#include "fs/views/r/seurat_names.h"
#include "fs/views/table/column_types.h"
#include "fs/views/table/factor_codes.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs {

namespace {

AnnDataAttributes encoding(const std::string& type, const std::string& version) {
  return {{"encoding-type", type}, {"encoding-version", version}};
}

constexpr uint64_t kCellsAtOnce = 64 * 1024;

// The most rows without names. Each generated name is visited before the file's size is known, and a store
// can claim rows without names at no cost.
constexpr uint64_t kMostCountedNames = INT32_MAX;

bool is_whole_or_truth(const DType& type) {
  return type.is_integer() || type.is_truth() || type.kind == Kind::time_span;
}

bool is_text(const DType& type) {
  return !is_whole_or_truth(type) && type.kind != Kind::real;
}

std::string encoding_of(const DType& type) {
  return is_text(type) ? "string-array" : "array";
}

// Returns 1 for each missing value, otherwise 0.
ArrayPtr missing_mask(const ArrayPtr& values) {
  return mapped(values, number_type(Kind::boolean, 1), [](const Elements& elements, const Box&) {
    Elements mask;
    mask.count = elements.count;
    mask.bytes.resize(elements.count);
    for (uint64_t i = 0; i < elements.count; ++i)
      mask.bytes[i] = static_cast<std::byte>(elements.is_missing(i));
    return mask;
  });
}

// A writer for the names or one column of a frame at a path.
class FrameWriter {
 public:
  FrameWriter(std::string path, Context& context, AnnDataLayout& out)
      : path_(std::move(path)), context_(context), out_(out) {}

  void put_values(const std::string& path, const ArrayPtr& values) {
    out_.array(path, values, encoding(encoding_of(values->dtype()), "0.2.0"));
  }
  void put_names(const ArrayPtr& names);
  void put_column(const ArrayPtr& values);

 private:
  void put_categorical(const ArrayPtr& codes, const ArrayPtr& categories, bool is_ordered);
  void put_texts_with_missing(const ArrayPtr& values);
  void put_nullable(const ArrayPtr& values);

  const std::string path_;
  Context& context_;
  AnnDataLayout& out_;
};

// An index cannot hold missing values. They are spelled as in the .csv, and so are the numbers beside them.
void FrameWriter::put_names(const ArrayPtr& names) {
  if (is_text(names->dtype()) || !has_missing(*names, context_)) return put_values(path_, names);
  out_.texts(path_, names, encoding("string-array", "0.2.0"));
}

void FrameWriter::put_column(const ArrayPtr& values) {
  const DType& type = values->dtype();
  if (const auto factor = native_factor(*values))
    return put_categorical(anndata_codes(*factor), factor->parts.levels, factor->parts.is_ordered);
  if (is_whole_or_truth(type) && has_missing(*values, context_))
    return put_nullable(with_missing_times(values));
  if (is_text(type) && has_missing(*values, context_))
    return put_texts_with_missing(with_missing_times(values));
  put_values(path_, values);  // a missing real is NaN
}

void FrameWriter::put_categorical(const ArrayPtr& codes, const ArrayPtr& categories, bool is_ordered) {
  AnnDataAttributes attributes = encoding("categorical", "0.2.0");
  attributes.push_back({"ordered", is_ordered});
  out_.group(path_, std::move(attributes));
  out_.codes(path_ + "/codes", codes, categories->count(), encoding("array", "0.2.0"));
  put_values(path_ + "/categories", categories);
}

// anndata 0.8 has missing texts only in a categorical.
void FrameWriter::put_texts_with_missing(const ArrayPtr& values) {
  std::vector<std::string> categories;
  std::unordered_map<std::string, int32_t> known;
  Elements codes;
  codes.count = values->count();
  codes.bytes.resize(checked_size(codes.count, 4));
  const std::span<int32_t> code = codes.mutable_values<int32_t>();
  uint64_t i = 0;
  for (uint64_t first = 0; first < codes.count; first += kCellsAtOnce) {
    for_each_text(*values, first, std::min(kCellsAtOnce, codes.count - first),
                  [&](std::string_view text, bool is_missing) {
                    if (is_missing) return void(code[i++] = -1);
                    const auto [entry, is_new] =
                        known.try_emplace(std::string(text), static_cast<int32_t>(categories.size()));
                    if (is_new) categories.emplace_back(text);
                    code[i++] = entry->second;
                  });
  }
  const auto array =
      std::make_shared<MemoryArray>(number_type(Kind::integer, 4), Shape{codes.count}, std::move(codes));
  put_categorical(array, text_array(categories), false);
}

void FrameWriter::put_nullable(const ArrayPtr& values) {
  const DType& type = values->dtype();
  const bool is_truth = type.is_truth();
  out_.group(path_, encoding(is_truth ? "nullable-boolean" : "nullable-integer", "0.1.0"));
  put_values(path_ + "/values", values);
  put_values(path_ + "/mask", missing_mask(values));
}

// Adds the names of the rows, or "0", "1", and so on if they have none.
void put_index(const std::string& path, const Table& table, Context& context, AnnDataLayout& out) {
  ArrayPtr names = table.row_names;
  if (names) names->check();
  if (!names || names->count() != table.rows) {
    if (table.rows > kMostCountedNames)
      throw unsupported("{} rows without names, more than {}", table.rows, kMostCountedNames);
    names = numbered_texts(table.rows);  // as anndata names them
  }
  FrameWriter(path, context, out).put_names(names);
}

constexpr const char kIndex[] = "_index";

// Returns the columns of a table, none of them with the name that anndata reserves for the index: it would
// read such a frame, but refuse to write it.
std::vector<Column> columns_without_index(const std::string& path, const Table& table, Context& context) {
  std::vector<Column> columns = table.columns;
  const auto named = [&](std::string_view name) {
    return std::find_if(columns.begin(), columns.end(),
                        [&](const Column& column) { return column.name == name; });
  };
  int number = 1;
  for (auto reserved = named(kIndex); reserved != columns.end(); reserved = named(kIndex)) {
    std::string name;
    do name = fmt::format("{}_{}", kIndex, number++);
    while (named(name) != columns.end());
    context.notice(fmt::format(
        "{}: the name of column {} in the .h5ad is {}, because anndata reserves that name for the index",
        path, kIndex, name));
    reserved->name = std::move(name);
  }
  return columns;
}

void put_needed(const std::string& path, AnnDataLayout::Put put, AnnDataLayout& out) {
  if (const std::optional<Error> error = out.part(path, std::move(put))) throw *error;
}

// Returns whether `out` can hold the part; otherwise the part is left out and logged.
bool is_put(const std::string& path, AnnDataLayout::Put put, Context& context, AnnDataLayout& out) {
  const std::optional<Error> error = out.part(path, std::move(put));
  if (error) context.notice(fmt::format("{}: not in the .h5ad: {}", path, error->what()));
  return !error;
}

// Returns the columns with unique names, because anndata finds them by name.
std::vector<Column> unique_columns(const std::string& path, std::vector<Column> columns, Context& context) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  names = made_unique(std::move(names));
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == columns[i].name) continue;
    context.notice(fmt::format("{}: the column name {} is repeated; this one becomes {}", path,
                               columns[i].name, names[i]));
    columns[i].name = names[i];
  }
  return columns;
}

// Puts the group `path` with the columns and the index. Rows without names are counted from 0. anndata has no
// columns of compounds, so their members become columns.
void put_frame(const std::string& path, const Table& stored, Context& context, AnnDataLayout& out) {
  const Table table{stored.rows, stored.row_names, member_columns(stored)};
  const std::vector<Column> columns =
      unique_columns(path, columns_without_index(path, table, context), context);
  const std::string index = kIndex;
  AnnDataAttributes attributes = encoding("dataframe", "0.2.0");
  attributes.push_back({"_index", index});
  out.group(path, attributes);
  put_needed(
      path + "/" + index,
      [path = path + "/" + index, rows = Table{table.rows, table.row_names, {}},
       &context](AnnDataLayout& to) { put_index(path, rows, context, to); },
      out);
  std::vector<std::string> order;
  for (const Column& column : columns) {
    const std::string place = path + "/" + column.name;
    const auto put = [path, place, column, rows = table.rows, &context](AnnDataLayout& to) {
      column.values->check();
      if (column.values->count() != rows)
        throw damaged("{}: column {} has {} values for {} rows", path, column.name, column.values->count(),
                      rows);
      FrameWriter(place, context, to).put_column(column.values);
    };
    if (is_put(place, put, context, out)) order.push_back(column.name);
  }
  attributes.push_back({"column-order", order});
  out.change_group(path, std::move(attributes));
}

// The required extents of a matrix.
struct Extent {
  uint64_t rows;
  std::optional<uint64_t> columns;
};

// A writer for one element at a path.
class ElementWriter {
 public:
  ElementWriter(Context& context, bool marks_missing, std::string path, Extent extent)
      : context_(context), marks_missing_(marks_missing), path_(std::move(path)), extent_(extent) {}

  void put(const Content& content, AnnDataLayout& out) const;
  // Puts a matrix that is stored by row as one by column.
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
    throw damaged("{} is {} by {}, expected {} by {}", path, rows, columns, want_rows,
                  want_columns.value_or(columns));
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
  if (const auto* table = std::get_if<Table>(&content)) return put_frame(path_, *table, context_, out);
  if (const auto* error = std::get_if<Error>(&content)) throw *error;
  throw unsupported("{} cannot be stored in an AnnData object", path_);
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
  AnnDataLayout::Put element(const std::string& path, const Content& content, const Extent& extent) const {
    return [writer = writer(path, extent), content](AnnDataLayout& out) { writer.put(content, out); };
  }
  void put_x(const std::string& path, const Content& content, const Extent& extent) {
    if (!std::holds_alternative<std::monostate>(content))
      put_needed(path, element(path, content, extent), out_);
  }
  void put_table(const std::string& path, const Table& table) {
    const auto put = [path, table, &context = context_](AnnDataLayout& out) {
      put_frame(path, table, context, out);
    };
    put_needed(path, put, out_);
  }
  void put_parts(const std::string& path, const std::vector<AnnotatedPart>& parts, const Extent& extent) {
    out_.group(path, encoding("dict", "0.1.0"));
    for (const AnnotatedPart& part : parts)
      is_put(path + "/" + part.name, element(path + "/" + part.name, part.content, extent), context_, out_);
  }
  void put_layers();
  void put_pictures();

  ElementWriter writer(const std::string& path, const Extent& extent) const {
    return {context_, matrix_.marks_missing, path, extent};
  }

  const AnnotatedMatrix& matrix_;
  Context& context_;
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
  Elements one = zero_elements(number_type(Kind::real, 8), 1);
  one.mutable_values<double>()[0] = value;
  return std::make_shared<MemoryArray>(number_type(Kind::real, 8), Shape{}, std::move(one));
}

ArrayPtr single_text(const std::string& text) {
  return std::make_shared<MemoryArray>(text_type(), Shape{}, read_all(*text_array({text})));
}

// Returns the names of items as unique names of members. name_of(item) is the name of an item.
template <class Item, class NameOf>
std::vector<std::string> names_of_members(const std::vector<Item>& items, NameOf name_of) {
  std::vector<std::string> names;
  for (const Item& item : items) {
    std::string name = name_of(item);
    std::replace(name.begin(), name.end(), '/', '_');
    names.push_back(name.empty() || name == "." || name == ".." ? "_" + name : name);
  }
  return made_unique(std::move(names));
}

// Puts the pictures of one slide into the group `place`.
void put_slide(const std::string& place, const SlidePictures& slide, AnnDataLayout& out) {
  const auto dict = [&](const std::string& group) { out.group(group, encoding("dict", "0.1.0")); };
  const auto first = [](const auto& pair) { return pair.first; };
  dict(place);
  dict(place + "/images");
  const auto images = names_of_members(slide.images, [](const Column& image) { return image.name; });
  for (size_t i = 0; i < images.size(); ++i)
    out.array(place + "/images/" + images[i], slide.images[i].values, encoding("array", "0.2.0"));
  dict(place + "/metadata");
  const auto texts = names_of_members(slide.metadata, first);
  for (size_t i = 0; i < texts.size(); ++i)
    out.texts(place + "/metadata/" + texts[i], single_text(slide.metadata[i].second),
              encoding("string", "0.2.0"));
  dict(place + "/scalefactors");
  const auto factors = names_of_members(slide.factors, first);
  for (size_t i = 0; i < factors.size(); ++i)
    out.array(place + "/scalefactors/" + factors[i], single_number(slide.factors[i].second),
              encoding("numeric-scalar", "0.2.0"));
}

// Puts the pictures of slides in scanpy's layout.
void put_slides(const std::string& path, const std::vector<SlidePictures>& slides, AnnDataLayout& out) {
  out.group(path, encoding("dict", "0.1.0"));
  const auto names = names_of_members(slides, [](const SlidePictures& slide) { return slide.name; });
  for (size_t i = 0; i < slides.size(); ++i) put_slide(path + "/" + names[i], slides[i], out);
}

void AnnDataWriter::put_pictures() {
  if (!matrix_.pictures) return;
  const std::string path = "/uns/spatial";
  const auto put = [path, pictures = matrix_.pictures](AnnDataLayout& out) {
    put_slides(path, pictures(), out);
  };
  is_put(path, put, context_, out_);
}

void AnnDataWriter::write() {
  out_.group("/", encoding("anndata", "0.1.0"));
  put_x("/X", matrix_.x, {matrix_.cells, matrix_.genes});
  check_rows("/obs", matrix_.obs, matrix_.cells);
  check_rows("/var", matrix_.var, matrix_.genes);
  put_layers();
  put_table("/obs", matrix_.obs);
  put_parts("/obsm", matrix_.obsm, {matrix_.cells, {}});
  put_parts("/obsp", matrix_.obsp, {matrix_.cells, matrix_.cells});
  if (matrix_.raw) {
    const uint64_t genes = matrix_.raw->var.rows;
    out_.group("/raw", encoding("raw", "0.1.0"));
    put_x("/raw/X", matrix_.raw->x, {matrix_.cells, genes});
    put_table("/raw/var", matrix_.raw->var);
    put_parts("/raw/varm", matrix_.raw->varm, {genes, {}});
  }
  put_parts("/uns", {}, {});
  put_pictures();
  put_table("/var", matrix_.var);
  put_parts("/varm", matrix_.varm, {matrix_.genes, {}});
  put_parts("/varp", matrix_.varp, {matrix_.genes, matrix_.genes});
}

}  // namespace

uint32_t bytes_of_codes(uint64_t categories) {
  return categories < INT8_MAX ? 1 : categories < INT16_MAX ? 2 : 4;
}

void put_anndata(const AnnotatedMatrix& matrix, Context& context, AnnDataLayout& out) {
  AnnDataWriter(matrix, context, out).write();
}

}  // namespace plainfs
