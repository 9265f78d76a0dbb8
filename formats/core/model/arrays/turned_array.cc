#include "formats/core/model/arrays/turned_array.h"

#include "formats/core/model/arrays/axis_order.h"
#include "formats/core/model/arrays/derived_array.h"

namespace plainfs {

namespace {

Shape reversed(const Shape& shape) {
  return Shape(shape.rbegin(), shape.rend());
}

Box reversed(const Box& box) {
  return {reversed(box.origin), reversed(box.extent)};
}

// An array with its axes reversed.
class ReversedArray : public DerivedArray {
 public:
  explicit ReversedArray(const ArrayPtr& array)
      : DerivedArray(array, array->dtype(), reversed(array->shape()), false) {}

  Shape chunk_shape() const override { return reversed(values().chunk_shape()); }
  bool may_be_missing() const override { return values().may_be_missing(); }

 private:
  Box stored_box(const Box& box) const override { return reversed(box); }
  Elements derived(Elements stored, const Box& box) const override {
    return transposed_back(dtype(), std::move(stored), box.extent, reversed_axes(box.extent.size()));
  }
};

// An array with the same bytes and the stored shape.
class AsStored : public DerivedArray {
 public:
  explicit AsStored(const ArrayPtr& array) : DerivedArray(array, array->dtype(), array->shape(), false) {}
  bool may_be_missing() const override { return values().may_be_missing(); }
};

}  // namespace

ArrayPtr with_reversed_axes(const ArrayPtr& array) {
  if (array->column_major()) return std::make_shared<AsStored>(array);
  if (array->shape().size() < 2) return array;
  return std::make_shared<ReversedArray>(array);
}

ArrayPtr in_row_order(const ArrayPtr& array) {
  if (!array->column_major()) return array;
  return std::make_shared<ReversedArray>(array);
}

ArrayPtr in_column_order(const ArrayPtr& array) {
  return with_reversed_axes(array);
}

}  // namespace plainfs
