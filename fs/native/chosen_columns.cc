#include "fs/native/chosen_columns.h"

#include <algorithm>
#include <cstring>

#include "formats/core/model/derived_array.h"

namespace plainfs {

namespace {

class ChosenColumns : public DerivedArray {
 public:
  ChosenColumns(const ArrayPtr& matrix, std::vector<uint64_t> order)
      : DerivedArray(matrix, matrix->dtype(), {matrix->shape()[0], order.size()}, false),
        order_(std::move(order)) {}

  Shape chunk_shape() const override {
    return {values().chunk_shape()[0], std::max<uint64_t>(1, order_.size())};
  }

 private:
  // Whole rows: a box is put together of columns from anywhere.
  Box stored_box(const Box& box) const override {
    return {{box.origin[0], 0}, {box.extent[0], values().shape()[1]}};
  }
  Elements derived(Elements stored, const Box& box) const override {
    if (stored.count <= 1) return stored;
    const uint64_t columns = values().shape()[1], size = dtype().packed_size();
    Elements chosen = zero_elements(dtype(), box.extent[0] * box.extent[1]);
    if (!stored.missing.empty()) chosen.missing.resize(chosen.count);
    for (uint64_t row = 0, to = 0; row < box.extent[0]; ++row) {
      for (uint64_t i = 0; i < box.extent[1]; ++i, ++to) {
        const uint64_t from = row * columns + order_[box.origin[1] + i];
        std::memcpy(chosen.bytes.data() + to * size, stored.bytes.data() + from * size, size);
        if (!stored.missing.empty()) chosen.missing[to] = stored.missing[from];
      }
    }
    return chosen;
  }

  const std::vector<uint64_t> order_;
};

}  // namespace

ArrayPtr chosen_columns(ArrayPtr matrix, std::vector<uint64_t> order) {
  return std::make_shared<ChosenColumns>(matrix, std::move(order));
}

}  // namespace plainfs
