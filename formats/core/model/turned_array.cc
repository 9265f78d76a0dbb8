#include "formats/core/model/turned_array.h"

#include <algorithm>
#include <cstring>

#include "formats/core/base/checked.h"
#include "formats/core/model/box_runs.h"
#include "formats/core/model/derived_array.h"

namespace plainfs {

namespace {

Shape reversed(const Shape& shape) {
  return Shape(shape.rbegin(), shape.rend());
}

Box reversed(const Box& box) {
  return {reversed(box.origin), reversed(box.extent)};
}

// An array with its axes in reverse.
class ReversedArray : public DerivedArray {
 public:
  explicit ReversedArray(const ArrayPtr& array)
      : DerivedArray(array, array->dtype(), reversed(array->shape()), false) {}

  Shape chunk_shape() const override { return reversed(values().chunk_shape()); }

 private:
  Box stored_box(const Box& box) const override { return reversed(box); }
  Elements derived(Elements stored, const Box& box) const override { return turned(stored, box.extent); }
  // elements: a block of the reverse of extent. Returns them in C order of extent.
  Elements turned(const Elements& elements, const Shape& extent) const;
};

Elements ReversedArray::turned(const Elements& elements, const Shape& extent) const {
  // Where the next element along each of extent's axes is, in what was read.
  Shape steps = strides_of(reversed(extent));
  std::reverse(steps.begin(), steps.end());
  const uint64_t count = elements.count;
  if (count <= 1) return elements;
  const bool is_flat = layout_of(dtype()) == Layout::flat;
  const uint64_t size = is_flat ? dtype().packed_size() : 0;
  Elements result;
  result.count = count;
  if (is_flat)
    result.bytes.resize(checked_size(count, size));
  else
    result = zero_elements(dtype(), 0);
  if (!elements.missing.empty()) result.missing.resize(count);
  const auto copy_one = [&](uint64_t to, uint64_t from) {
    if (is_flat) {
      std::memcpy(result.bytes.data() + to * size, elements.bytes.data() + from * size, size);
      if (!elements.missing.empty()) result.missing[to] = elements.missing[from];
    } else {
      append(dtype(), result, elements, from, 1);
    }
  };
  Shape at(extent.size(), 0);
  for (uint64_t to = 0, from = 0; to < count;) {
    const uint64_t last = extent.back(), step = steps.back();
    for (uint64_t i = 0; i < last; ++i, ++to) copy_one(to, from + i * step);
    for (size_t d = extent.size() - 1; d-- > 0;) {
      from += steps[d];
      if (++at[d] < extent[d]) break;
      from -= extent[d] * steps[d];
      at[d] = 0;
    }
  }
  return result;
}

// The same bytes with the shape as it is stored.
class AsStored : public DerivedArray {
 public:
  explicit AsStored(const ArrayPtr& array) : DerivedArray(array, array->dtype(), array->shape(), false) {}
};

}  // namespace

ArrayPtr turned_round(const ArrayPtr& array) {
  if (array->column_major()) return std::make_shared<AsStored>(array);
  if (array->shape().size() < 2) return array;
  return std::make_shared<ReversedArray>(array);
}

ArrayPtr in_row_order(const ArrayPtr& array) {
  if (!array->column_major()) return array;
  return std::make_shared<ReversedArray>(array);
}

ArrayPtr in_column_order(const ArrayPtr& array) {
  return turned_round(array);
}

}  // namespace plainfs
