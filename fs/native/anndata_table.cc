#include "fs/native/anndata_table.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <unordered_set>

#include "formats/core/base/checked.h"
#include "formats/core/model/derived_array.h"
#include "fs/native/factor_codes.h"
#include "fs/native/text_lengths.h"
#include "fs/text/array_runs.h"

namespace plainfs {

namespace {

constexpr uint64_t kCellsAtOnce = 64 * 1024;

// Of rows without names. Each is looked at before the file's size is known, and numbers of rows need no bytes
// in a store.
constexpr uint64_t kMostCountedNames = INT32_MAX;

// "0", "1", …: what anndata calls rows without names.
class CountedNames : public Array {
 public:
  explicit CountedNames(uint64_t count) : Array(text_type(), {count}) {}
  Elements read(const Box& box) const override {
    TextBuilder names(box.extent[0]);
    for (uint64_t i = 0; i < box.extent[0]; ++i) names.add(std::to_string(box.origin[0] + i));
    return names.finish();
  }
};

bool look_for_missing(const Array& values, Context& context) {
  const uint64_t count = values.count();
  std::atomic<bool> any{false};
  context.workers.parallel_for(divide_up(count, kCellsAtOnce), [&](size_t run) {
    if (any) return;
    const uint64_t first = run * kCellsAtOnce;
    const Elements elements = read_run(values, first, std::min(kCellsAtOnce, count - first));
    if (std::find(elements.missing.begin(), elements.missing.end(), 1) != elements.missing.end()) any = true;
  });
  return any;
}

}  // namespace

bool any_missing(const Array& values, Context& context) {
  if (!values.may_be_missing()) return false;
  struct AnyMissing {
    bool value;
  };
  return values.survey<AnyMissing>(0, [&] { return AnyMissing{look_for_missing(values, context)}; })->value;
}

namespace {

bool is_whole_or_truth(const DType& type) {
  return type.is_integer() || type.is_truth() || type.kind == Kind::time_span;
}

bool is_text(const DType& type) {
  return !is_whole_or_truth(type) && type.kind != Kind::real;
}

std::string encoding_of(const DType& type) {
  return is_text(type) ? "string-array" : "array";
}

// 1 where a value is missing, else 0.
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

// Puts the names or one column of a frame at path.
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

// An index has no place for what is missing: it is spelled, as in the .csv, and so are the numbers beside it.
void FrameWriter::put_names(const ArrayPtr& names) {
  if (is_text(names->dtype()) || !any_missing(*names, context_)) return put_values(path_, names);
  out_.texts(path_, names, encoding("string-array", "0.2.0"));
}

void FrameWriter::put_column(const ArrayPtr& values) {
  const DType& type = values->dtype();
  if (const auto factor = native_factor(*values))
    return put_categorical(anndata_codes(*factor), factor->parts.levels, factor->parts.is_ordered);
  const bool may_be_missing = values->may_be_missing();
  if (is_text(type) && may_be_missing && measure_texts(*values, context_)->any_missing)
    return put_texts_with_missing(values);
  if (is_whole_or_truth(type) && any_missing(*values, context_)) return put_nullable(values);
  put_values(path_, values);
}

void FrameWriter::put_categorical(const ArrayPtr& codes, const ArrayPtr& categories, bool is_ordered) {
  AnnDataAttributes attributes = encoding("categorical", "0.2.0");
  attributes.push_back({"ordered", is_ordered});
  out_.group(path_, std::move(attributes));
  out_.codes(path_ + "/codes", codes, categories->count(), encoding("array", "0.2.0"));
  put_values(path_ + "/categories", categories);
}

// anndata 0.8 has no missing texts but in a categorical.
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

// The names of the rows, "0", "1", … where they have none.
void put_index(const std::string& path, const Table& table, Context& context, AnnDataLayout& out) {
  ArrayPtr names = table.row_names;
  if (names) names->check();
  if (!names || names->count() != table.rows) {
    if (table.rows > kMostCountedNames)
      throw unsupported("{} rows without names are more than {}", table.rows, kMostCountedNames);
    names = std::make_shared<CountedNames>(table.rows);
  }
  FrameWriter(path, context, out).put_names(names);
}

// A name that no column has.
std::string index_name(const Table& table) {
  std::string name = "_index";
  const auto is_taken = [&](const Column& column) { return column.name == name; };
  while (std::any_of(table.columns.begin(), table.columns.end(), is_taken)) name += "_";
  return name;
}

}  // namespace

AnnDataAttributes encoding(const std::string& type, const std::string& version) {
  return {{"encoding-type", type}, {"encoding-version", version}};
}

void put_frame(const std::string& path, const Table& table, Context& context, AnnDataLayout& out) {
  std::vector<std::string> order;
  std::unordered_set<std::string> distinct;
  for (const Column& column : table.columns) {
    if (!distinct.insert(column.name).second)
      throw unsupported("{}: two columns are called {}", path, column.name);
    order.push_back(column.name);
  }
  const std::string index = index_name(table);
  AnnDataAttributes attributes = encoding("dataframe", "0.2.0");
  attributes.push_back({"_index", index});
  attributes.push_back({"column-order", order});
  out.group(path, std::move(attributes));
  out.part(path + "/" + index, [path = path + "/" + index, names = Table{table.rows, table.row_names, {}},
                                &context](AnnDataLayout& to) { put_index(path, names, context, to); });
  for (const Column& column : table.columns) {
    const auto put = [path, column, rows = table.rows, &context](AnnDataLayout& to) {
      column.values->check();
      if (column.values->count() != rows)
        throw damaged("{}: column {} has {} values for {} rows", path, column.name, column.values->count(),
                      rows);
      FrameWriter(path + "/" + column.name, context, to).put_column(column.values);
    };
    out.part(path + "/" + column.name, put);
  }
}

}  // namespace plainfs
