#include "fs/views/anndata/anndata_files.h"

#include <algorithm>
#include <limits>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/text/utf8.h"
#include "fs/layout/array_segment.h"
#include "fs/layout/byte_layout.h"
#include "fs/layout/element_form.h"
#include "fs/layout/text_segments.h"
#include "fs/layout/zarr_packed.h"
#include "fs/layout/zarr_records.h"
#include "fs/layout/zarr_tree.h"
#include "fs/views/anndata/anndata_parts.h"

namespace plainfs {

namespace {

// See Measured::version.
constexpr const char kZarrTexts[] = "zarr texts 2";

// A type of numbers as Zarr names it, with the fill value of elements without a chunk.
struct ZarrNumber {
  std::string dtype;
  Json fill;
  ElementForm form;
};

std::string dtype_name(char kind, uint32_t size) {
  return (size == 1 ? "|" : "<") + (kind + std::to_string(size));
}

ZarrNumber integer_form(uint32_t bytes) {
  const ElementForm form = bytes == 1   ? little_int8()
                           : bytes == 2 ? little_int16()
                           : bytes == 4 ? little_int32()
                                        : little_int64();
  return {dtype_name('i', bytes), Json::of(int64_t{0}), form};
}

// Returns nullopt for types that are shown as text.
std::optional<ZarrNumber> stored_form(const DType& type) {
  const Json zero = Json::of(int64_t{0});
  switch (type.kind) {
    case Kind::boolean:
    case Kind::logical:
      return ZarrNumber{"|b1", Json(false), little_stored(type)};
    case Kind::integer:
    case Kind::time_span:
      return ZarrNumber{dtype_name('i', type.size), zero, little_stored(type)};
    case Kind::unsigned_integer:
      return ZarrNumber{dtype_name('u', type.size), zero, little_stored(type)};
    case Kind::real:
      return ZarrNumber{dtype_name('f', type.size), Json::Number{"0.0"}, little_stored(type)};
    case Kind::complex:
      return ZarrNumber{dtype_name('c', type.size), Json::List{Json::Number{"0.0"}, Json::Number{"0.0"}},
                        little_stored(type)};
    default:
      return std::nullopt;
  }
}

// Throws damaged if a text is not UTF-8.
std::optional<Json> attributes_document(const AnnDataAttributes& attributes) {
  if (attributes.empty()) return std::nullopt;
  const auto to_json = [](const auto& value) -> Json {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<T, int64_t>) {
      return Json::of(value);
    } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
      Json::List list;
      for (const int64_t each : value) list.push_back(Json::of(each));
      return list;
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      return Json::List(value.begin(), value.end());
    } else {
      return value;
    }
  };
  Json::Object object;
  for (const auto& [name, value] : attributes) object.emplace_back(name, std::visit(to_json, value));
  Json document = std::move(object);
  check_utf8(document);
  return document;
}

uint64_t elements_in_line(const Shape& shape) {
  uint64_t line = 1;
  for (size_t axis = 1; axis < shape.size(); ++axis)
    line = checked_multiply(line, std::max<uint64_t>(1, shape[axis]));
  return line;
}

// Returns the chunk shape of an array of numbers. Narrow arrays are cut into bands of whole rows. Wide ones
// are also cut along the columns, so that a reader of one column need not read all.
Shape chunk_of_numbers(const Shape& shape, uint32_t size, const ZarrLimits& limits) {
  Shape chunk = shape;
  for (uint64_t& length : chunk) length = std::max<uint64_t>(1, length);
  if (shape.size() == 1) {
    chunk[0] = std::min(chunk[0], limits.numbers);
  } else if (shape.size() > 1) {
    chunk[1] = std::min(chunk[1], limits.columns);
    const uint64_t line = checked_multiply(elements_in_line(chunk), size);
    chunk[0] = std::min(chunk[0], std::max<uint64_t>(1, limits.bytes / line));
  }
  return chunk;
}

// Returns the chunk shape of texts: whole rows, which are one run of texts.
Shape chunk_of_texts(const Shape& shape, const ZarrLimits& limits) {
  Shape chunk = shape;
  for (uint64_t& length : chunk) length = std::max<uint64_t>(1, length);
  if (!chunk.empty())
    chunk[0] = std::min(chunk[0], std::max<uint64_t>(1, limits.texts / elements_in_line(shape)));
  return chunk;
}

// Returns the count, the texts, and empty texts that fill up the chunk.
ByteLayout text_chunk(const ArrayPtr& values, uint64_t first, uint64_t length, Context& context) {
  const ArrayPtr texts = without_missing_texts(values, context);
  const TextLengthsPtr lengths = measure_texts(*texts, context);
  const uint64_t count = std::min(length, lengths->count - first);
  const auto stored = static_cast<uint32_t>(length);
  ByteLayout chunk;
  chunk.put(std::string_view(reinterpret_cast<const char*>(&stored), sizeof stored));
  chunk.put(framed_texts(texts, lengths, first, count, with_length()));
  chunk.put_zeros((length - count) * with_length().size);
  return chunk;
}

ArrayPtr falsehood() {
  const DType truth = number_type(Kind::boolean, 1);
  return std::make_shared<MemoryArray>(truth, Shape{}, zero_elements(truth, 1));
}

class ZarrAnnData : public AnnDataLayout {
 public:
  // base: the path of the elements to hold, with everything below it.
  ZarrAnnData(std::string base, Context& context, const ZarrLimits& limits)
      : base_(std::move(base)), context_(context), limits_(limits) {}

  void group(const std::string& path, AnnDataAttributes attributes) override {
    add(path, {attributes_document(attributes), {}, {}});
  }
  void change_group(const std::string& path, AnnDataAttributes attributes) override {
    if (path != base_) throw std::logic_error("not a group that can be changed");
    content_.attributes = attributes_document(attributes);
  }
  void array(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) override {
    values->check();
    if (std::optional<ZarrNumber> number = stored_form(values->dtype()))
      return numbers(path, values, *std::move(number), attributes);
    texts(path, values, std::move(attributes));
  }
  void texts(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) override;
  void integers(const std::string& path, const ArrayPtr& values, uint32_t bytes,
                AnnDataAttributes attributes) override {
    numbers(path, values, integer_form(bytes), attributes);
  }
  // Adds codes in the sizes of pandas.
  void codes(const std::string& path, const ArrayPtr& values, uint64_t categories,
             AnnDataAttributes attributes) override {
    integers(path, values, bytes_of_codes(categories), std::move(attributes));
  }
  void records(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) override;
  // Adds what anndata writes for None: a truth value that nothing refers to.
  void empty(const std::string& path, AnnDataAttributes attributes) override {
    array(path, falsehood(), std::move(attributes));
  }
  // An element that cannot be held still has its place (zarr_tree.h).
  std::optional<Error> part(const std::string& path, Put put) override {
    add_part(path, std::move(put), false);
    return std::nullopt;
  }
  void unlisted_part(const std::string& path, const Put& put) override { add_part(path, put, true); }
  std::optional<Error> part_now(const std::string& path, Put put) override {
    ZarrAnnData out(path, context_, limits_);
    try {
      put(out);
    } catch (const Error& error) {
      if (error.code() != Errc::unsupported) throw;
      return error;
    }
    add(path, out.take());
    return std::nullopt;
  }

  ZarrContent take() { return std::move(content_); }

 private:
  void numbers(const std::string& path, const ArrayPtr& values, ZarrNumber number,
               const AnnDataAttributes& attributes);
  void single_text(const std::string& path, const ArrayPtr& value, const AnnDataAttributes& attributes);
  void add(const std::string& path, ZarrContent content) {
    if (content.array) check_chunk_count(*content.array);
    if (path == base_ || path == "/") {
      content_ = std::move(content);
    } else {
      put_zarr_node(content_, std::string_view(path).substr(base_.size() + 1),
                    {std::make_shared<ZarrNode>(std::move(content))});
    }
  }
  void add_part(const std::string& path, Put put, bool is_unlisted) {
    auto make = [path, put = std::move(put), &context = context_, limits = limits_] {
      ZarrAnnData out(path, context, limits);
      put(out);
      return out.take();
    };
    put_zarr_node(content_, std::string_view(path).substr(base_.size() + 1),
                  {std::make_shared<ZarrNode>(std::move(make)), is_unlisted});
  }

  const std::string base_;
  Context& context_;
  const ZarrLimits limits_;
  ZarrContent content_;
};

void ZarrAnnData::numbers(const std::string& path, const ArrayPtr& values, ZarrNumber number,
                          const AnnDataAttributes& attributes) {
  const ArrayPtr ordered = in_row_order(values);
  const Shape shape = ordered->shape();
  const Shape chunk = chunk_of_numbers(shape, number.form.size, limits_);
  const auto open = [ordered, chunk, form = number.form, &context = context_](const Shape& origin) {
    ByteLayout layout;
    layout.put(chunk.empty() ? array_segment(ordered, form, context)
                             : padded_box(ordered, form, origin, chunk));
    return layout_file(std::move(layout), context);
  };
  ZarrArray array{std::move(number.dtype), std::move(number.fill), shape, chunk, open, ordered, number.form};
  add(path, {attributes_document(attributes), std::move(array), {}});
}

// anndata writes the texts of records in the width of the longest, in UTF-32.
void ZarrAnnData::records(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) {
  const auto records = std::make_shared<const ZarrRecords>(zarr_records(in_row_order(values)));
  const Shape shape = in_row_order(values)->shape();
  Shape chunk = shape;
  for (uint64_t& length : chunk) length = std::max<uint64_t>(1, length);
  const auto open = [records, &context = context_](const Shape&) {
    ByteLayout layout;
    layout.put(records->bytes);
    return layout_file(std::move(layout), context);
  };
  add(path,
      {attributes_document(attributes), ZarrArray{records->dtype, records->fill, shape, chunk, open}, {}});
}

// anndata writes a single text in as many characters as it has, in UTF-32.
void ZarrAnnData::single_text(const std::string& path, const ArrayPtr& value,
                              const AnnDataAttributes& attributes) {
  std::string units;
  for_each_text(*value, 0, 1, [&](std::string_view text, bool is_missing) {
    for (const uint32_t point : code_points(is_missing ? "NA" : text))
      for (int shift = 0; shift < 32; shift += 8) units += static_cast<char>(point >> shift);
  });
  const size_t length = units.size() / 4;
  if (units.empty()) units.resize(4);
  const auto open = [units, &context = context_](const Shape&) {
    ByteLayout layout;
    layout.put(units);
    return layout_file(std::move(layout), context);
  };
  ZarrArray array{"<U" + std::to_string(std::max<size_t>(1, length)), "", {}, {}, open, value};
  add(path, {attributes_document(attributes), std::move(array), {}});
}

void ZarrAnnData::texts(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) {
  const ArrayPtr ordered = in_row_order(values);
  if (ordered->shape().empty()) return single_text(path, ordered, attributes);
  const Shape shape = ordered->shape();
  const Shape chunk = chunk_of_texts(shape, limits_);
  const uint64_t line = elements_in_line(shape);
  const uint64_t length = chunk.empty() ? 1 : checked_multiply(chunk[0], line);
  if (length > UINT32_MAX) throw unsupported("{}: {} texts in a row", path, line);
  const auto open = [ordered, line, length, &context = context_](const Shape& origin) {
    const auto lay_out = [ordered, first = origin.empty() ? 0 : origin[0] * line, length, &context] {
      return text_chunk(ordered, first, length, context);
    };
    return layout_file(lay_out, context, kZarrTexts);
  };
  ZarrArray array{"|O", Json::of(int64_t{0}), shape, chunk, open, ordered};
  add(path, {attributes_document(attributes), std::move(array), {}});
}

ZarrNodePtr anndata_zarr_tree(std::function<AnnotatedMatrix()> make, Context& context, ZarrLimits limits,
                              const std::string& file) {
  return std::make_shared<ZarrNode>([make = std::move(make), &context, limits, file] {
    ZarrAnnData out("", context, limits);
    put_anndata(make(), context, out, file);
    return out.take();
  });
}

}  // namespace

ListEntries anndata_zarr(std::function<AnnotatedMatrix()> make, Context& context, ZarrLimits limits,
                         const std::string& file) {
  return zarr_directory(anndata_zarr_tree(std::move(make), context, limits, file), context);
}

PackFolder packed_anndata_zarr(std::function<AnnotatedMatrix()> make, Context& context,
                               const std::string& file) {
  return [make = std::move(make), &context, file](const FolderPacking& packing) {
    return zarr_packed(anndata_zarr_tree(make, context, {}, file), packing, context);
  };
}

}  // namespace plainfs
