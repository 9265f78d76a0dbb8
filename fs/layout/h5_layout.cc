#include "fs/layout/h5_layout.h"

#include <algorithm>
#include <numeric>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/utf8.h"
#include "fs/layout/array_segment.h"
#include "fs/layout/text_segments.h"

namespace plainfs {

namespace {

using hdf5::SkeletonDataset;
using hdf5::SkeletonField;
using hdf5::SkeletonKind;
using hdf5::SkeletonRecords;

// Returns the shape that users see.
Shape shown_shape(const Array& array) {
  Shape shape = array.shape();
  if (array.column_major()) std::reverse(shape.begin(), shape.end());
  return shape;
}

// Returns the kind of number of a type in an HDF5 file; nullopt for types shown as text.
std::optional<SkeletonKind> number_kind(const DType& type) {
  switch (type.kind) {
    case Kind::boolean:
    case Kind::logical:
      return SkeletonKind::boolean;
    case Kind::integer:
    case Kind::time_span:
      return SkeletonKind::integer;
    case Kind::unsigned_integer:
      return SkeletonKind::unsigned_integer;
    case Kind::real:
      return SkeletonKind::real;
    case Kind::complex:
      return SkeletonKind::complex;
    default:
      return std::nullopt;
  }
}

// Returns a field of records for a type.
SkeletonField record_field(std::string name, const DType& type) {
  if (type.kind == Kind::array) {
    SkeletonField field = record_field(std::move(name), *type.item);
    field.shape.insert(field.shape.begin(), type.dims.begin(), type.dims.end());
    return field;
  }
  if (const auto kind = number_kind(type)) {
    const bool is_one_byte = *kind == SkeletonKind::boolean;
    return {std::move(name), *kind, is_one_byte ? 1 : static_cast<uint32_t>(type.packed_size()), {}};
  }
  if (type.kind == Kind::compound || type.kind == Kind::sequence)
    throw unsupported("a field of {} in records", type.name());
  return {std::move(name), SkeletonKind::variable_text, sizeof(uint64_t), {}};
}

// A writer of the values of records, field by field.
class RecordBytes {
 public:
  RecordBytes(const DType& type, SkeletonRecords& records) : type_(type), records_(records) {}

  void add(const Elements& elements, uint64_t record) {
    for (size_t f = 0; f < type_.fields.size(); ++f) {
      const DType* type = &type_.fields[f].type;
      const Elements* field = &elements.children.at(f);
      uint64_t items = 1;
      for (; type->kind == Kind::array; type = type->item.get(), field = &field->children.at(0))
        items *= type->items();
      for (uint64_t i = record * items; i < (record + 1) * items; ++i) add_one(*type, *field, i);
    }
    if (records_.bytes.size() > kMaxRecordBytes)
      throw unsupported("records of over {} bytes in an HDF5 file", kMaxRecordBytes);
  }

 private:
  void add_one(const DType& type, const Elements& elements, uint64_t i) {
    if (!number_kind(type)) return add_text(type, elements, i);
    const ElementForm form = little_stored(type);
    std::byte bytes[16];
    form.write(type, elements, i, 1, bytes);
    records_.bytes.append(reinterpret_cast<const char*>(bytes), form.size);
  }
  void add_text(const DType& type, const Elements& elements, uint64_t i) {
    std::string text;
    if (elements.is_missing(i))
      text = "NA";
    else
      append_plain(type, elements, i, text);
    check_utf8(std::string_view(text));
    if (text.find('\0') != text.npos) throw unsupported("a text with a NUL in records");
    const uint64_t place = records_.texts.size();
    records_.bytes.append(reinterpret_cast<const char*>(&place), sizeof place);
    records_.texts.push_back(std::move(text));
  }

  const DType& type_;
  SkeletonRecords& records_;
};

}  // namespace

void H5Layout::group(std::string path, H5Attributes attributes) {
  parts_.push_back({{std::move(path), std::move(attributes)}});
}

void H5Layout::change_group(const std::string& path, H5Attributes attributes) {
  const auto group = std::find_if(parts_.rbegin(), parts_.rend(),
                                  [&](const H5Part& part) { return part.object.path == path; });
  if (group == parts_.rend()) throw std::logic_error("no such group");
  group->object.attributes = std::move(attributes);
}

void H5Layout::drop_from(size_t first) {
  parts_.erase(parts_.begin() + static_cast<ptrdiff_t>(first), parts_.end());
}

void H5Layout::data(const std::string& path, SkeletonDataset as, SegmentPtr segment,
                    H5Attributes attributes) {
  parts_.push_back({{path, std::move(attributes), std::move(as)}, std::move(segment)});
}

void H5Layout::numbers(const std::string& path, const ArrayPtr& values, SkeletonDataset as, ElementForm form,
                       H5Attributes attributes) {
  data(path, std::move(as), array_segment(in_row_order(values), form, context_), std::move(attributes));
}

void H5Layout::dataset(const std::string& path, const ArrayPtr& values, H5Attributes attributes) {
  values->check();
  const ArrayPtr ordered = in_row_order(values);
  const Shape shape = shown_shape(*values);
  if (const auto kind = number_kind(values->dtype())) {
    const ElementForm form = little_stored(values->dtype());
    return data(path, {*kind, form.size, shape}, array_segment(ordered, form, context_),
                std::move(attributes));
  }
  texts(path, values, std::move(attributes));
}

void H5Layout::texts(const std::string& path, const ArrayPtr& values, H5Attributes attributes) {
  const ArrayPtr ordered = in_row_order(values);
  // A single text is not divided into chunks, and the library stores texts of any length in chunks alone.
  if (has_variable_texts_ && !values->shape().empty()) {
    data(path, {SkeletonKind::variable_text, 1, shown_shape(*values)}, nullptr, std::move(attributes));
    parts_.back().texts = ordered;
    return;
  }
  const TextLengthsPtr lengths = measure_texts(*ordered, context_);
  if (lengths->longest > INT32_MAX) throw unsupported("{}: a text of {} bytes", path, lengths->longest);
  const auto width = static_cast<uint32_t>(padded_width(*lengths));
  data(path, {SkeletonKind::utf8_text, width, shown_shape(*values)}, padded_texts(ordered, width),
       std::move(attributes));
}

void H5Layout::records(const std::string& path, const ArrayPtr& values, H5Attributes attributes) {
  values->check();
  const ArrayPtr ordered = in_row_order(values);
  const auto generated = std::make_shared<SkeletonRecords>();
  for (const Field& field : ordered->dtype().fields)
    generated->fields.push_back(record_field(field.name, field.type));
  constexpr uint64_t kAtOnce = 4096;
  RecordBytes out(ordered->dtype(), *generated);
  for (uint64_t first = 0, count = ordered->count(); first < count; first += kAtOnce) {
    const Elements some = read_run(*ordered, first, std::min(kAtOnce, count - first));
    for (uint64_t i = 0; i < some.count; ++i) out.add(some, i);
  }
  SkeletonDataset as{SkeletonKind::records, 1, shown_shape(*values)};
  as.records = generated;
  data(path, std::move(as), nullptr, std::move(attributes));
}

void H5Layout::empty(const std::string& path, H5Attributes attributes) {
  data(path, {SkeletonKind::empty, 1, {}}, nullptr, std::move(attributes));
}

void H5Layout::texts_in_memory(const std::string& path, std::vector<std::string> values,
                               std::vector<uint64_t> shape, H5Attributes attributes) {
  SkeletonDataset as{SkeletonKind::variable_text, 1, std::move(shape)};
  as.texts = std::make_shared<const std::vector<std::string>>(std::move(values));
  data(path, std::move(as), nullptr, std::move(attributes));
}

void H5Layout::texts(const std::string& path, const std::vector<std::string>& values,
                     H5Attributes attributes) {
  dataset(path, text_array(values), std::move(attributes));
}

void H5Layout::sort(const std::function<size_t(std::string_view path)>& rank) {
  std::stable_sort(parts_.begin(), parts_.end(), [&](const H5Part& a, const H5Part& b) {
    return rank(a.object.path) < rank(b.object.path);
  });
}

ByteLayout H5Layout::finish(const std::string& user_block) {
  std::vector<hdf5::SkeletonObject> objects;
  for (const H5Part& part : parts_) objects.push_back(part.object);
  const hdf5::Skeleton skeleton = hdf5::write_skeleton(objects, user_block);
  struct Piece {
    uint64_t offset;
    const std::string* bytes;  // or null
    SegmentPtr segment;
  };
  std::vector<Piece> pieces;
  for (const auto& extent : skeleton.extents) pieces.push_back({extent.offset, &extent.bytes, nullptr});
  for (size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].segment && parts_[i].segment->size() > 0)
      pieces.push_back({skeleton.data_offsets[i], nullptr, parts_[i].segment});
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
  ByteLayout layout;
  for (const Piece& piece : pieces) {
    if (piece.offset < layout.size()) throw std::logic_error("parts of an HDF5 file overlap");
    layout.put_zeros(piece.offset - layout.size());
    if (piece.bytes)
      layout.put(*piece.bytes);
    else
      layout.put(piece.segment);
  }
  layout.put_zeros(skeleton.size - std::min(skeleton.size, layout.size()));
  return layout;
}

std::unique_ptr<const PackedForm> H5Layout::pack(const H5Packing& packing) {
  return h5_packed(std::move(parts_), packing, context_);
}

}  // namespace plainfs
