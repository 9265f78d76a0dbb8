#include "formats/model/derived_array.h"

#include <algorithm>

#include "formats/model/assembly.h"
#include "formats/model/box_runs.h"

namespace plainfs {

namespace {

// An array that looks like another one unless it says otherwise.
class WrappedArray : public Array {
 public:
  WrappedArray(ArrayPtr values, DType dtype)
      : Array(std::move(dtype), values->shape(), values->column_major()), values_(std::move(values)) {}
  WrappedArray(ArrayPtr values, Shape shape, bool column_major)
      : Array(values->dtype(), std::move(shape), column_major), values_(std::move(values)) {}

  Elements read(const Box& box) const override { return values_->read(box); }
  void passed(const Box& box) const override { values_->passed(box); }
  Shape chunk_shape() const override { return values_->chunk_shape(); }
  void check() const override { values_->check(); }
  bool is_null() const override { return values_->is_null(); }
  Attributes attributes() const override { return values_->attributes(); }

 protected:
  const Array& values() const { return *values_; }

 private:
  ArrayPtr values_;
};

class MissingArray : public WrappedArray {
 public:
  MissingArray(ArrayPtr values, MissingRule rule)
      : WrappedArray(values, values->dtype()), rule_(std::move(rule)) {}

  Elements read(const Box& box) const override {
    Elements elements = values().read(box);
    std::vector<uint8_t> missing(elements.count);
    rule_(elements, missing);
    for (uint64_t i = 0; i < elements.missing.size(); ++i) missing[i] |= elements.missing[i];
    const bool any = std::find(missing.begin(), missing.end(), 1) != missing.end();
    elements.missing = any ? std::move(missing) : std::vector<uint8_t>{};
    return elements;
  }

 private:
  MissingRule rule_;
};

Shape without_unit_axes(const Shape& shape) {
  Shape rest;
  for (const uint64_t axis : shape) {
    if (axis != 1) rest.push_back(axis);
  }
  return rest;
}

// to has the axes of shape from, and others of length 1: the values of from's other axes, put in order into
// to's; `unit` for each axis of length 1.
Shape moved_between(const Shape& from, const Shape& values, const Shape& to, uint64_t unit) {
  Shape moved(to.size(), unit);
  size_t d = 0;
  for (size_t e = 0; e < to.size(); ++e) {
    if (to[e] == 1) continue;
    while (from[d] == 1) ++d;
    moved[e] = values[d++];
  }
  return moved;
}

// As much of the end of shape as count elements fill: whole last axes, a part of the one before them.
Shape last_elements(const Shape& shape, uint64_t count) {
  Shape extent(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 0;) {
    extent[d] = std::clamp<uint64_t>(count, 1, std::max<uint64_t>(shape[d], 1));
    count /= extent[d];
  }
  return extent;
}

class ReshapedArray : public WrappedArray {
 public:
  ReshapedArray(ArrayPtr values, Shape shape, bool column_major)
      : WrappedArray(values, std::move(shape), column_major),
        same_but_units_(without_unit_axes(this->shape()) == without_unit_axes(values->shape())) {}

  Shape chunk_shape() const override {
    Shape chunk = values().chunk_shape();
    for (size_t d = 0; d < chunk.size(); ++d) chunk[d] = std::min(chunk[d], values().shape()[d]);
    if (same_but_units_) return moved_between(values().shape(), chunk, shape(), 1);
    return last_elements(shape(), element_count(chunk));
  }

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    if (element_count(box.extent) == 0) return zero_elements(dtype(), 0);
    if (!same_but_units_) return read_reordered(box);
    return values().read(stored_box(box));
  }

  void passed(const Box& box) const override {
    if (same_but_units_) values().passed(stored_box(box));
  }

 private:
  // Requires: same_but_units_.
  Box stored_box(const Box& box) const {
    const Shape& from = shape();
    const Shape& to = values().shape();
    return {moved_between(from, box.origin, to, 0), moved_between(from, box.extent, to, 1)};
  }
  Elements read_reordered(const Box& box) const;
  Elements read_places(uint64_t first, uint64_t end) const;

  const bool same_but_units_;
};

// Elements [first, end) in C order. Requires: first < end.
Elements ReshapedArray::read_places(uint64_t first, uint64_t end) const {
  const Shape& stored = values().shape();
  if (stored.size() == 1) return values().read(range(first, end - first));
  // The rows that hold them, and what is too much cut off.
  const uint64_t row = element_count(Shape(stored.begin() + 1, stored.end()));
  Box rows = whole(stored);
  rows.origin[0] = first / row;
  rows.extent[0] = (end - 1) / row + 1 - rows.origin[0];
  const Elements read = values().read(rows);
  return cut(dtype(), read, {read.count}, range(first - rows.origin[0] * row, end - first));
}

// Reads from the box's first element to its last, and cuts the box out of that. Requires: the box is not
// empty.
Elements ReshapedArray::read_reordered(const Box& box) const {
  const Shape strides = strides_of(shape());
  Shape last = box.origin;
  for (size_t d = 0; d < last.size(); ++d) last[d] += box.extent[d] - 1;
  const uint64_t first = place_of(box.origin, strides);
  const uint64_t end = place_of(last, strides) + 1;
  const Elements read = read_places(first, end);
  Elements result = zero_elements(dtype(), 0);
  for_each_runs(shape(), box, box.extent, Shape(box.extent.size(), 0), [&](const Runs& runs) {
    for (uint64_t k = 0; k < runs.count; ++k) {
      append(dtype(), result, read, runs.source + k * runs.source_step - first, runs.length);
    }
  });
  return result;
}

}  // namespace

ArrayPtr with_missing(ArrayPtr values, MissingRule rule) {
  return std::make_shared<MissingArray>(std::move(values), std::move(rule));
}

ArrayPtr as_logical(ArrayPtr values) {
  DType type = values->dtype();
  switch (type.kind) {
    case Kind::logical:
      return values;
    case Kind::enumeration:
      break;
    case Kind::integer:
    case Kind::unsigned_integer:
      type.base = type.kind;
      break;
    case Kind::boolean:
      type.base = Kind::unsigned_integer;
      break;
    default:
      return std::make_shared<BrokenArray>(type, unsupported("logical values of type {}", type.name()));
  }
  type.kind = Kind::logical;
  type.members.clear();
  return std::make_shared<WrappedArray>(std::move(values), std::move(type));
}

ArrayPtr with_shape(ArrayPtr values, Shape shape, bool column_major) {
  if (element_count(shape) != element_count(values->shape())) {
    return std::make_shared<BrokenArray>(values->dtype(), damaged("{} elements do not fill the shape ({})",
                                                                  values->count(), fmt::join(shape, ", ")));
  }
  return std::make_shared<ReshapedArray>(std::move(values), std::move(shape), column_major);
}

}  // namespace plainfs
