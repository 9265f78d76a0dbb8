#include <algorithm>
#include <set>
#include <tuple>

#include "formats/annotated/annotated_matrices.h"
#include "formats/core/base/checked.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/sparse/column_order.h"
#include "formats/core/sparse/computed_matrix.h"
#include "formats/core/sparse/sparse_majors.h"
#include "formats/core/text/printable.h"
#include "formats/registry.h"
#include "fs/layout/h5_layout.h"
#include "fs/layout/text_segments.h"
#include "fs/views/anndata/anndata_elements.h"
#include "fs/views/loom/loom_files.h"
#include "fs/views/matrix/checked_numbers.h"
#include "fs/views/table/column_types.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs {

namespace {

using hdf5::SkeletonKind;

constexpr int kMaxGroupDepth = 64;
constexpr int kUsualLevel = 2;  // loompy's
constexpr uint64_t kTextsAtOnce = 16 * 1024;
constexpr const char kVersionName[] = "LOOM_SPEC_VERSION", kAccession[] = "Accession", kIds[] = "gene_ids";

// Returns the chunks of a matrix: loompy's, but longer ones if those side by side had over 32 MiB.
std::vector<uint64_t> chunk_of_matrix(uint64_t genes, uint64_t cells, uint32_t size) {
  constexpr uint64_t kSide = 64, kBandBytes = uint64_t{32} << 20;
  const uint64_t fitting = std::clamp<uint64_t>(kBandBytes / checked_multiply(cells, size), 1, kSide);
  return {std::min(genes, fitting), std::min(cells, kSide * kSide / fitting)};
}

// The matrix as genes by cells: one side of the file's attributes, the names of its tables and lists.
struct Side {
  const Table& table;
  const std::vector<AnnotatedPart>& parts;
  const std::vector<AnnotatedPart>& pairs;
  std::string place, parts_place, pairs_place;  // of an AnnData
  std::string attributes, graphs;               // of the file
  std::string names;                            // the attribute with the names
  uint64_t count;
};

class LoomWriter {
 public:
  LoomWriter(const AnnotatedMatrix& matrix, const std::string& file, bool is_packed, Context& context)
      : matrix_(matrix),
        context_(context),
        is_packed_(is_packed),
        lines_(matrix.origins, file, context),
        out_(context, H5Texts::variable) {}

  H5Layout write() {
    check_sides();
    out_.group("/");
    for (const char* group : {"/attrs", "/layers", "/row_attrs", "/col_attrs", "/row_graphs", "/col_graphs"})
      out_.group(group);
    out_.texts_in_memory(std::string("/attrs/") + kVersionName, {"3.0.0"}, {});
    put_matrix("/matrix", matrix_.x);
    lines_.take("/X");
    put_layers();
    put_side({matrix_.var, matrix_.varm, matrix_.varp, "/var", "/varm", "/varp", "/row_attrs", "/row_graphs",
              "Gene", matrix_.genes});
    put_side({matrix_.obs, matrix_.obsm, matrix_.obsp, "/obs", "/obsm", "/obsp", "/col_attrs", "/col_graphs",
              "CellID", matrix_.cells});
    if (matrix_.raw) lines_.refuse("/raw", "a loom file has one set of genes");
    put_uns();
    if (references_ > 0)
      context_.notice(fmt::format("{} texts have character references in {}, which loompy decodes",
                                  references_, lines_.file()));
    lines_.report();
    return std::move(out_);
  }

 private:
  void check_sides() const;
  // Calls put() for the part at a place, which is left out if the file cannot hold it.
  template <class Put>
  void try_put(const std::string& place, Put&& put);
  void put_matrix(const std::string& path, const Content& content);
  void put_layers();
  void put_side(const Side& side);
  void put_columns(const Side& side, std::set<std::string>& taken);
  void put_values(const std::string& path, const ArrayPtr& values);
  void put_texts(const std::string& path, const ArrayPtr& values);
  void put_graph(const std::string& path, const Content& content, uint64_t count);
  ArrayPtr dense_of(const SparseMatrix& stored, bool is_transposed) const;
  ArrayPtr attribute_of(const Side& side, const AnnotatedPart& part) const;
  void put_uns();
  void put_uns_table(const std::string& place, const std::string& name, const Table& table,
                     std::set<std::string>& taken);
  void put_uns_value(const std::string& place, const std::string& name, const Node& node, int depth,
                     std::set<std::string>& taken);
  ArrayPtr numbers_of(const ArrayPtr& values, bool may_have_missing) const;
  static std::string free_name(const std::string& name, std::set<std::string>& taken);
  std::string renamed(const std::string& place, const std::string& name, std::set<std::string>& taken) const;

  const AnnotatedMatrix& matrix_;
  Context& context_;
  const bool is_packed_;
  const LeftOutLines lines_;
  H5Layout out_;
  uint64_t text_bytes_ = 0;  // in memory
  uint64_t references_ = 0;  // texts with references
};

void LoomWriter::check_sides() const {
  if (std::holds_alternative<std::monostate>(matrix_.x)) throw unsupported("a loom file without a matrix");
  if (matrix_.cells == 0 || matrix_.genes == 0)
    throw unsupported("a loom file of {} genes and {} cells, which loompy does not open", matrix_.genes,
                      matrix_.cells);
  for (const auto& [table, count, place] :
       {std::tuple(&matrix_.obs, matrix_.cells, "/obs"), {&matrix_.var, matrix_.genes, "/var"}})
    if (table->rows != count) throw damaged("{} has {} rows, expected {}", place, table->rows, count);
}

template <class Put>
void LoomWriter::try_put(const std::string& place, Put&& put) {
  const size_t before = out_.count();
  try {
    put();
    lines_.take(place);
  } catch (const Error& error) {
    if (error.code() != Errc::unsupported) throw;
    out_.drop_from(before);
    lines_.refuse(place, error.what());
  }
}

// Returns a name that no other has, without a slash, which would divide it.
std::string LoomWriter::free_name(const std::string& name, std::set<std::string>& taken) {
  std::string base = name;
  std::replace(base.begin(), base.end(), '/', '_');
  if (base.empty() || base == "." || base == "..") base.insert(0, "_");
  std::string free = base;
  for (int number = 1; !taken.insert(free).second; ++number) free = fmt::format("{}_{}", base, number);
  return free;
}

std::string LoomWriter::renamed(const std::string& place, const std::string& name,
                                std::set<std::string>& taken) const {
  std::string free = free_name(name, taken);
  if (free != name)
    context_.notice(fmt::format("{}/{}: {} in {}", place, printable(name), printable(free), lines_.file()));
  return free;
}

// Returns numbers of a type that a loom file can have. It has no missing integers and no truth values.
ArrayPtr LoomWriter::numbers_of(const ArrayPtr& values, bool may_have_missing) const {
  const DType& type = values->dtype();
  if (!type.is_numeric()) throw unsupported("{} in a loom file", type.name());
  if (type.kind == Kind::real) return values;
  if (may_have_missing && has_missing(*values, context_)) return as_reals(values);
  const ArrayPtr whole = without_missing_integers(values);
  return type.is_truth() ? with_type(whole, number_type(Kind::unsigned_integer, 1)) : whole;
}

// Returns the values of a sparse matrix, or of its transpose, with all zeros.
ArrayPtr LoomWriter::dense_of(const SparseMatrix& sparse, bool is_transposed) const {
  const SparseMatrix stored = evaluated(sparse);
  if (stored.error) throw *stored.error;
  if (!stored.value->dtype().is_numeric())
    throw unsupported("a sparse matrix of {}", stored.value->dtype().name());
  SparseMatrix turned = is_transposed ? transposed(stored) : stored;
  turned.value = numbers_of(turned.value, matrix_.marks_missing);
  EntrySourcePtr rows = compressed_source(lists_of(turned));
  if (!turned.by_row) rows = flipped(std::move(rows), context_);
  return computed_dense(std::move(rows), true, RepeatedEntries::are_added);
}

void LoomWriter::put_matrix(const std::string& path, const Content& content) {
  if (const auto* error = std::get_if<Error>(&content)) throw *error;
  const auto check = [&](uint64_t rows, uint64_t columns) {
    if (rows != matrix_.cells || columns != matrix_.genes)
      throw damaged("{} is {} by {}, expected {} by {}", path, rows, columns, matrix_.cells, matrix_.genes);
  };
  ArrayPtr values;
  if (const auto* sparse = std::get_if<SparseMatrix>(&content)) {
    check(sparse->rows, sparse->columns);
    values = dense_of(*sparse, true);
  } else if (const auto* array = std::get_if<LabelledArray>(&content)) {
    const ArrayPtr stored = labelled_values(*array).values;
    stored->check();
    Shape shape = stored->shape();
    if (stored->column_major()) std::reverse(shape.begin(), shape.end());
    if (shape.size() != 2) throw unsupported("{} of rank {} in a loom file", path, shape.size());
    check(shape[0], shape[1]);
    values = with_reversed_axes(numbers_of(stored, matrix_.marks_missing));
  } else {
    throw unsupported("{} is no matrix", path);
  }
  out_.dataset(path, values);
  const auto size = static_cast<uint32_t>(values->dtype().packed_size());
  out_.set_chunk(chunk_of_matrix(matrix_.genes, matrix_.cells, size));
  out_.let_grow(1);  // loompy adds cells
}

void LoomWriter::put_layers() {
  std::set<std::string> taken;
  for (const AnnotatedPart& layer : matrix_.layers)
    try_put("/layers/" + layer.name,
            [&] { put_matrix("/layers/" + renamed("/layers", layer.name, taken), layer.content); });
}

// Puts numbers, or anything else as text.
void LoomWriter::put_values(const std::string& path, const ArrayPtr& values) {
  values->check();
  const DType& type = values->dtype();
  if (type.kind == Kind::complex || type.kind == Kind::compound || type.kind == Kind::opaque)
    throw unsupported("elements of type {} in a loom file", type.name());
  if (!type.is_numeric()) return put_texts(path, values);
  out_.dataset(path, numbers_of(values, true));
}

void LoomWriter::put_texts(const std::string& path, const ArrayPtr& values) {
  const ArrayPtr ordered = in_row_order(values);
  const Shape& shape = ordered->shape();
  std::vector<std::string> texts;
  const bool is_kept = !is_packed_ || shape.size() != 1;
  uint64_t references = 0, bytes = 0;
  for (uint64_t first = 0, count = ordered->count(); first < count; first += kTextsAtOnce)
    for_each_text(*ordered, first, std::min(kTextsAtOnce, count - first),
                  [&](std::string_view text, bool is_missing) {
                    std::string own = is_missing ? "" : loom_text(text);
                    if (!is_missing && own != text) ++references;
                    if (!is_kept) return;
                    bytes += own.size() + 2 * sizeof(uint64_t);
                    if (text_bytes_ + bytes > kMaxLoomTextBytes)
                      throw Error(Errc::unsupported,
                                  "texts of over 64 MiB in a file that is not compressed; `plainfs export` "
                                  "writes it compressed");
                    texts.push_back(std::move(own));
                  });
  references_ += references;
  text_bytes_ += bytes;
  if (is_kept) return out_.texts_in_memory(path, std::move(texts), shape);
  out_.dataset(path, generated(text_type(), shape, [ordered](const Box& box) {
                 TextBuilder texts_of_box(box.extent[0]);
                 for_each_text(*ordered, box.origin[0], box.extent[0],
                               [&](std::string_view text, bool is_missing) {
                                 texts_of_box.add(is_missing ? "" : loom_text(text));
                               });
                 return texts_of_box.finish();
               }));
}

// Returns whether a column repeats the names.
bool has_texts(const ArrayPtr& column, const ArrayPtr& names) {
  if (!column || !names || column->count() != names->count()) return false;
  for (uint64_t first = 0, count = names->count(); first < count; first += kTextsAtOnce) {
    const uint64_t some = std::min(kTextsAtOnce, count - first);
    std::vector<std::string> theirs;
    for_each_text(*names, first, some, [&](std::string_view text, bool) { theirs.emplace_back(text); });
    bool is_same = true;
    size_t i = 0;
    for_each_text(*column, first, some,
                  [&](std::string_view text, bool) { is_same = is_same && theirs[i++] == text; });
    if (!is_same) return false;
  }
  return true;
}

void LoomWriter::put_columns(const Side& side, std::set<std::string>& taken) {
  ArrayPtr names = side.table.row_names;
  if (names) names->check();
  if (!names || names->count() != side.count) names = numbered_texts(side.count);
  put_texts(side.attributes + "/" + free_name(side.names, taken), names);
  Table table = side.table;
  std::erase_if(table.columns,
                [&](const Column& column) {  // of two dimensions, which `parts` has as they are
                  return column.values->dtype().kind == Kind::compound &&
                         std::any_of(side.parts.begin(), side.parts.end(),
                                     [&](const AnnotatedPart& part) { return part.name == column.name; });
                });
  const std::vector<Column> columns = member_columns(table);
  const ArrayPtr accession = column_values(columns, kAccession), ids = column_values(columns, kIds);
  const bool is_repeated = accession && ids && has_texts(ids, accession);
  for (const Column& column : columns) {
    const std::string place = side.place + "/" + column.name;
    const bool are_ids = &side.table == &matrix_.var && column.name == kIds;
    if (column.name == side.names && has_texts(column.values, names)) continue;
    if (are_ids && is_repeated) continue;
    try_put(place, [&] {
      if (column.values->count() != side.count)
        throw damaged("{} has {} values, expected {}", place, column.values->count(), side.count);
      const std::string name =
          are_ids && !accession ? free_name(kAccession, taken) : renamed(side.place, column.name, taken);
      put_values(side.attributes + "/" + name, column.values);
    });
  }
}

// Returns an element of obsm or varm as an array of two dimensions. A sparse one gets its zeros, as the
// matrix does, if it is no wider than that.
ArrayPtr LoomWriter::attribute_of(const Side& side, const AnnotatedPart& part) const {
  if (const auto* error = std::get_if<Error>(&part.content)) throw *error;
  const auto check = [&](uint64_t rows) {
    if (rows != side.count)
      throw damaged("{}/{} has {} rows, expected {}", side.parts_place, part.name, rows, side.count);
  };
  if (const auto* sparse = std::get_if<SparseMatrix>(&part.content)) {
    const uint64_t width = &side.table == &matrix_.obs ? matrix_.genes : matrix_.cells;
    if (sparse->columns > width)
      throw unsupported("a sparse matrix of {} columns, wider than the matrix: it would have all its zeros",
                        sparse->columns);
    check(sparse->rows);
    return dense_of(*sparse, false);
  }
  const auto* array = std::get_if<LabelledArray>(&part.content);
  const ArrayPtr values = array ? labelled_values(*array).values : nullptr;
  if (!values || values->shape().size() != 2)
    throw unsupported("an attribute of a loom file is an array of one or two dimensions");
  check(values->shape()[values->column_major() ? 1 : 0]);
  return values;
}

void LoomWriter::put_side(const Side& side) {
  std::set<std::string> taken, graphs;
  lines_.take(side.place);
  put_columns(side, taken);
  for (const AnnotatedPart& part : side.parts)
    try_put(side.parts_place + "/" + part.name, [&] {
      const ArrayPtr values = attribute_of(side, part);
      put_values(side.attributes + "/" + renamed(side.parts_place, part.name, taken), values);
    });
  for (const AnnotatedPart& pair : side.pairs)
    try_put(side.pairs_place + "/" + pair.name, [&] {
      put_graph(side.graphs + "/" + renamed(side.pairs_place, pair.name, graphs), pair.content, side.count);
    });
}

// Returns the row or column of each entry by which a matrix is stored.
ArrayPtr major_of_entries(const SparseMatrix& matrix) {
  const auto majors = std::make_shared<const SparseMajors>(matrix);
  const DType type = number_type(Kind::integer, 8);
  return generated(type, {majors->entries()}, [majors, type](const Box& box) {
    Elements rows = zero_elements(type, box.extent[0]);
    const uint64_t first = box.origin[0], last = first + box.extent[0];
    majors->visit(first, last, [&](uint64_t major, uint64_t begin, uint64_t end) {
      for (uint64_t i = std::max(begin, first); i < std::min(end, last); ++i)
        rows.mutable_values<int64_t>()[i - first] = static_cast<int64_t>(major);
    });
    return rows;
  });
}

void LoomWriter::put_graph(const std::string& path, const Content& content, uint64_t count) {
  if (const auto* error = std::get_if<Error>(&content)) throw *error;
  const auto* sparse = std::get_if<SparseMatrix>(&content);
  if (!sparse) throw unsupported("a graph of a loom file is a sparse matrix");
  const SparseMatrix graph = evaluated(*sparse);
  if (graph.error) throw *graph.error;
  if (graph.rows != count || graph.columns != count)
    throw damaged("{} is {} by {}, expected {} by {}", path, graph.rows, graph.columns, count, count);
  const ArrayPtr majors = major_of_entries(graph);
  const ArrayPtr minors = indices_below(graph.index, graph.minors(), graph.minor_word());
  const uint32_t size = count <= INT32_MAX ? 4 : 8;
  const ElementForm form = size == 4 ? little_int32() : little_int64();
  const auto put = [&](const char* name, const ArrayPtr& values) {
    out_.numbers(path + name, values, {SkeletonKind::integer, size, {values->count()}}, form);
  };
  out_.group(path);
  put("/a", graph.by_row ? majors : minors);
  put("/b", graph.by_row ? minors : majors);
  const ArrayPtr weights = numbers_of(graph.value, true);
  const bool is_real = weights->dtype().kind == Kind::real;
  out_.dataset(path + "/w", is_real ? weights : as_reals(weights));
}

// The columns of a table are arrays with its name before theirs, like the members of a group.
void LoomWriter::put_uns_table(const std::string& place, const std::string& name, const Table& table,
                               std::set<std::string>& taken) {
  const auto put = [&](const std::string& column, const ArrayPtr& values) {
    const std::string inner = place + "/" + column;
    try_put(inner, [&] {
      if (values->count() != table.rows)
        throw damaged("{} has {} values, expected {}", inner, values->count(), table.rows);
      put_values("/attrs/" + free_name(name + "." + column, taken), values);
    });
  };
  if (table.row_names) put("index", table.row_names);
  for (const Column& column : member_columns(table)) put(column.name, column.values);
}

// Groups within uns have no place of their own; their members have the names on the way before theirs.
void LoomWriter::put_uns_value(const std::string& place, const std::string& name, const Node& stored,
                               int depth, std::set<std::string>& taken) {
  if (depth > kMaxGroupDepth) throw unsupported("groups within groups, more than {}", kMaxGroupDepth);
  const Node node = refine(stored, context_);
  if (const auto* error = std::get_if<Error>(&node.content)) throw *error;
  if (std::holds_alternative<std::monostate>(node.content) && node.parts) {
    for (Member& member : node.parts->members()) {
      const std::string inner = place + "/" + member.name;
      try_put(inner, [&] { put_uns_value(inner, name + "." + member.name, member.node, depth + 1, taken); });
    }
    return;
  }
  if (const auto* table = std::get_if<Table>(&node.content)) return put_uns_table(place, name, *table, taken);
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array) throw unsupported("an attribute of a loom file is an array");
  const ArrayPtr values = labelled_values(*array).values;
  values->check();
  if (values->is_null()) throw unsupported("it has no value");
  put_values("/attrs/" + free_name(name, taken), values);
}

void LoomWriter::put_uns() {
  std::set<std::string> taken{kVersionName};
  for (const Member& member : matrix_.uns) {
    const std::string place = "/uns/" + member.name;
    if (member.name == kVersionName)
      lines_.take(place);
    else
      try_put(place, [&] { put_uns_value(place, member.name, member.node, 0, taken); });
  }
}

}  // namespace

ByteLayout loom(const AnnotatedMatrix& matrix, Context& context, const std::string& file) {
  return LoomWriter(matrix, file, false, context).write().finish();
}

std::unique_ptr<const PackedForm> packed_loom(const AnnotatedMatrix& matrix, Context& context,
                                              const std::string& file) {
  H5Packing packing;
  packing.usual_level = kUsualLevel;
  packing.leaves_out_zeros = true;
  return LoomWriter(matrix, file, true, context).write().pack(packing);
}

void offer_loom_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files) {
  for (FoundAnnotatedMatrix& found : annotated_matrices(node, context)) {
    if (found.refusal) continue;
    const std::string file = found.name == "anndata" ? "the .loom" : found.name + ".loom";
    const auto lay_out = [make = found.make, &context, file] { return loom(make(), context, file); };
    const auto pack = [make = found.make, &context, file] { return packed_loom(make(), context, file); };
    files.push_back(row.entry(found.name + std::string(row.form.ending)));
    files.back().open = layout_opener(context, lay_out, with_hdf5(row.version), pack);
  }
}

}  // namespace plainfs
