#include "formats/core/frames/compound.h"

#include <algorithm>

#include "formats/core/model/assembly.h"
#include "formats/core/model/derived_array.h"

namespace plainfs::frames {
namespace {

const DType& field_type(const Array& compounds, size_t f) {
  return compounds.dtype().fields[f].type;
}

DType item_type(const DType& type) {
  return type.kind == Kind::array ? *type.item : type;
}

Shape with_item_axes(Shape shape, const DType& type) {
  if (type.kind == Kind::array) shape.insert(shape.end(), type.dims.begin(), type.dims.end());
  return shape;
}

class FieldArray : public DerivedArray {
 public:
  FieldArray(ArrayPtr compounds, size_t f)
      : DerivedArray(compounds, item_type(field_type(*compounds, f)),
                     with_item_axes(compounds->shape(), field_type(*compounds, f)),
                     compounds->column_major()),
        field_(f) {}

  Shape chunk_shape() const override {
    return with_item_axes(values().chunk_shape(), field_type(values(), field_));
  }
  // One compound that stands for all says nothing of the items in it.
  std::optional<Elements> repeated(const Box& box) const override {
    return shape() == values().shape() ? DerivedArray::repeated(box) : std::nullopt;
  }
  Attributes attributes() const override { return {}; }

 private:
  Box stored_box(const Box& box) const override {
    const auto axes = static_cast<ptrdiff_t>(values().shape().size());
    return {Shape(box.origin.begin(), box.origin.begin() + axes),
            Shape(box.extent.begin(), box.extent.begin() + axes)};
  }
  Elements derived(Elements compounds, const Box& box) const override {
    Elements field = std::move(compounds.children[field_]);
    const size_t axes = values().shape().size();
    if (shape().size() == axes) return field;
    Shape all(box.extent.begin(), box.extent.begin() + static_cast<ptrdiff_t>(axes));
    all.insert(all.end(), shape().begin() + static_cast<ptrdiff_t>(axes), shape().end());
    Box inside = box;
    std::fill_n(inside.origin.begin(), axes, 0);
    return cut(dtype(), field.children[0], all, inside);
  }

  const size_t field_;
};

}  // namespace

ArrayPtr field_of(ArrayPtr compounds, size_t f) {
  return std::make_shared<FieldArray>(std::move(compounds), f);
}

}  // namespace plainfs::frames
