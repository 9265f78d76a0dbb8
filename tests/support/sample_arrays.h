// Arrays for tests: numbers, and chunked copies that count how often each chunk is decoded.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "formats/core/model/arrays/chunked_array.h"
#include "formats/core/model/arrays/derived_array.h"

namespace plainfs {

template <class T>
DType type_of() {
  if constexpr (std::is_floating_point_v<T>)
    return number_type(Kind::real, sizeof(T));
  else
    return number_type(std::is_signed_v<T> ? Kind::integer : Kind::unsigned_integer, sizeof(T));
}

template <class T>
Elements elements_of(const std::vector<T>& values) {
  Elements elements;
  elements.count = values.size();
  const auto bytes = std::as_bytes(std::span(values));
  elements.bytes.assign(bytes.begin(), bytes.end());
  return elements;
}

template <class T>
ArrayPtr numbers(const std::vector<T>& values, Shape shape) {
  return std::make_shared<MemoryArray>(type_of<T>(), std::move(shape), elements_of(values));
}
template <class T>
ArrayPtr numbers(const std::vector<T>& values) {
  return numbers(values, {values.size()});
}

// A chunked copy of an array.
class ChunkedCopy : public ChunkedArray {
 public:
  ChunkedCopy(Context& context, ArrayPtr array, Shape chunk_shape)
      : ChunkedArray(context, array->dtype(), ChunkGrid(array->shape(), std::move(chunk_shape)),
                     array->column_major()),
        array_(std::move(array)) {}

  uint64_t chunks_decoded() const { return decoded_; }

 protected:
  Elements load_chunk(std::span<const uint64_t> chunk) const override {
    ++decoded_;
    const Shape extent = grid().chunk_shape(chunk);
    Box box{Shape(extent.size()), extent};
    bool is_inside = true;
    for (size_t axis = 0; axis < extent.size(); ++axis) {
      box.origin[axis] = grid().start(axis, chunk[axis]);
      is_inside &= box.origin[axis] + extent[axis] <= shape()[axis];
    }
    if (is_inside) return array_->read(box);
    Elements elements = zero_elements(dtype(), 0);
    for (uint64_t i = 0; i < element_count(extent); ++i) {
      Box one{Shape(extent.size()), Shape(extent.size(), 1)};
      uint64_t rest = i;
      for (size_t axis = extent.size(); axis-- > 0; rest /= extent[axis])
        one.origin[axis] = std::min(grid().start(axis, chunk[axis]) + rest % extent[axis], shape()[axis] - 1);
      append(dtype(), elements, array_->read(one), 0, 1);
    }
    return elements;
  }

 private:
  const ArrayPtr array_;
  mutable std::atomic<uint64_t> decoded_{0};
};

}  // namespace plainfs
