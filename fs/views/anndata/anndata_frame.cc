#include "fs/views/anndata/anndata_elements.h"

#include <algorithm>
#include <unordered_map>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "fs/layout/text_segments.h"
#include "fs/views/r/seurat_names.h"
#include "fs/views/table/column_types.h"
#include "fs/views/table/factor_codes.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs {

AnnDataAttributes anndata_encoding(const std::string& type, const std::string& version) {
  return {{"encoding-type", type}, {"encoding-version", version}};
}

namespace {

constexpr uint64_t kCellsAtOnce = 64 * 1024;

// The most rows without names. Each generated name is visited before the file's size is known, and a store
// can claim rows without names at no cost.
constexpr uint64_t kMaxCountedNames = INT32_MAX;

bool is_whole_or_truth(const DType& type) {
  return type.is_integer() || type.is_truth() || type.kind == Kind::time_span;
}

bool is_text(const DType& type) {
  return !is_whole_or_truth(type) && type.kind != Kind::real && type.kind != Kind::complex;
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
    out_.array(path, values, anndata_encoding(encoding_of(values->dtype()), "0.2.0"));
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
  out_.texts(path_, names, anndata_encoding("string-array", "0.2.0"));
}

void FrameWriter::put_column(const ArrayPtr& values) {
  const DType& type = values->dtype();
  if (const auto factor = native_factor(*values))
    return put_categorical(anndata_codes(*factor), factor->parts.levels, factor->parts.is_ordered);
  const bool has_mask = values->is_nullable();
  if (is_whole_or_truth(type) && (has_mask || has_missing(*values, context_)))
    return put_nullable(with_missing_times(values));
  if (is_text(type) && has_mask) return put_nullable(values);
  if (is_text(type) && has_missing(*values, context_))
    return put_texts_with_missing(with_missing_times(values));
  put_values(path_, values);  // a missing real or complex number is NaN
}

void FrameWriter::put_categorical(const ArrayPtr& codes, const ArrayPtr& categories, bool is_ordered) {
  AnnDataAttributes attributes = anndata_encoding("categorical", "0.2.0");
  attributes.push_back({"ordered", is_ordered});
  out_.group(path_, std::move(attributes));
  out_.codes(path_ + "/codes", codes, categories->count(), anndata_encoding("array", "0.2.0"));
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
  const std::string kind = is_text(type) ? "string-array" : type.is_truth() ? "boolean" : "integer";
  out_.group(path_, anndata_encoding("nullable-" + kind, "0.1.0"));
  put_values(path_ + "/values", values);
  put_values(path_ + "/mask", missing_mask(values));
}

// Adds the names of the rows, or "0", "1", and so on if they have none.
void put_index(const std::string& path, const Table& table, Context& context, AnnDataLayout& out) {
  ArrayPtr names = table.row_names;
  if (names) names->check();
  if (!names || names->count() != table.rows) {
    if (table.rows > kMaxCountedNames)
      throw unsupported("{} rows without names, more than {}", table.rows, kMaxCountedNames);
    names = numbered_texts(table.rows);  // as anndata names them
  }
  FrameWriter(path, context, out).put_names(names);
}

constexpr const char kIndex[] = "_index";

// Returns the columns of a table, none of them with the name that anndata reserves for the index: it would
// read such a frame, but refuse to write it.
std::vector<Column> columns_without_index(const std::string& path, const Table& table, Context& context) {
  std::vector<Column> columns = table.columns;
  int number = 1;
  while (Column* const reserved = find_column(columns, kIndex)) {
    std::string name;
    do name = fmt::format("{}_{}", kIndex, number++);
    while (find_column(columns, name));
    context.notice(fmt::format(
        "{}: the name of column {} in the .h5ad is {}, because anndata reserves that name for the index",
        path, kIndex, name));
    reserved->name = std::move(name);
  }
  return columns;
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

// Returns the name of the member with the row names: the stored name, unless it cannot be one.
std::string index_name(const std::string& stored, const std::vector<Column>& columns) {
  const bool is_valid = !stored.empty() && stored.find('/') == stored.npos && stored != "." &&
                        stored != ".." && !find_column(columns, stored);
  return is_valid ? stored : kIndex;
}

}  // namespace

void LeftOutLines::refuse(const std::string& place, const std::string& why) const {
  if (!shared_->is_reported) return shared_->taken.refuse(place, why);
  for (const std::string& stored : shared_->taken.origins_of(place))
    context().notice(fmt::format("{}: not in {}: {}", stored, file(), why));
}

void LeftOutLines::note(const std::string& place, const std::string& what) const {
  for (const std::string& stored : shared_->taken.origins_of(place))
    context().notice(fmt::format("{}: {}", stored, what));
}

void LeftOutLines::report() const {
  shared_->is_reported = true;
  note_parts_left_out(shared_->taken, file(), context());
}

void LeftOutLines::report_with(const std::vector<LeftOutLines>& others) const {
  for (const LeftOutLines& other : others) {
    shared_->taken.add(other.shared_->taken);
    other.shared_->is_reported = true;
  }
  report();
}

void put_needed(const std::string& path, AnnDataLayout::Put put, const LeftOutLines& lines,
                AnnDataLayout& out) {
  if (const std::optional<Error> error = out.part(path, std::move(put))) throw *error;
  lines.take(path);
}

namespace {

// Returns whether a part was put.
bool record(const std::string& path, const std::optional<Error>& error, const LeftOutLines& lines) {
  if (error)
    lines.refuse(path, error->what());
  else
    lines.take(path);
  return !error;
}

}  // namespace

bool put_if_held(const std::string& path, AnnDataLayout::Put put, const LeftOutLines& lines,
                 AnnDataLayout& out) {
  return record(path, out.part(path, std::move(put)), lines);
}

bool put_value_if_held(const std::string& path, AnnDataLayout::Put put, const LeftOutLines& lines,
                       AnnDataLayout& out) {
  return record(path, out.part_now(path, std::move(put)), lines);
}

void put_column(const std::string& path, const ArrayPtr& values, Context& context, AnnDataLayout& out) {
  FrameWriter(path, context, out).put_column(values);
}

void put_frame(const std::string& path, const Table& stored, const LeftOutLines& lines, AnnDataLayout& out) {
  Context& context = lines.context();
  const Table table{stored.rows, stored.row_names, member_columns(stored)};
  const std::vector<Column> columns =
      unique_columns(path, columns_without_index(path, table, context), context);
  const std::string index = index_name(stored.index_name, columns);
  AnnDataAttributes attributes = anndata_encoding("dataframe", "0.2.0");
  attributes.push_back({"_index", index});
  out.group(path, attributes);
  put_needed(
      path + "/" + index,
      [path = path + "/" + index, rows = Table{table.rows, table.row_names, {}},
       &context](AnnDataLayout& to) { put_index(path, rows, context, to); },
      lines, out);
  std::vector<std::string> order;
  for (const Column& column : columns) {
    const std::string place = path + "/" + column.name;
    const auto put = [path, place, column, rows = table.rows, &context](AnnDataLayout& to) {
      column.values->check();
      if (column.values->count() != rows)
        throw damaged("{}: column {} has {} values for {} rows", path, column.name, column.values->count(),
                      rows);
      put_column(place, column.values, context, to);
    };
    if (put_if_held(place, put, lines, out)) order.push_back(column.name);
  }
  attributes.push_back({"column-order", order});
  out.change_group(path, std::move(attributes));
}

}  // namespace plainfs
