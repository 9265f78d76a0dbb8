#include "fs/layout/h5_layout.h"

#include <algorithm>
#include <numeric>

#include "formats/core/base/checked.h"
#include "formats/core/model/turned_array.h"
#include "fs/layout/array_segment.h"
#include "fs/layout/text_segments.h"

namespace plainfs {

namespace {

using hdf5::SkeletonDataset;
using hdf5::SkeletonKind;

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
    default:
      return std::nullopt;
  }
}

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

void H5Layout::texts(const std::string& path, const std::vector<std::string>& values,
                     H5Attributes attributes) {
  dataset(path, text_array(values), std::move(attributes));
}

void H5Layout::sort(const std::function<size_t(std::string_view path)>& rank) {
  std::stable_sort(parts_.begin(), parts_.end(), [&](const H5Part& a, const H5Part& b) {
    return rank(a.object.path) < rank(b.object.path);
  });
}

ByteLayout H5Layout::finish() {
  std::vector<hdf5::SkeletonObject> objects;
  for (const H5Part& part : parts_) objects.push_back(part.object);
  const hdf5::Skeleton skeleton = hdf5::write_skeleton(objects);
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
