#include "formats/schemas/robject/arrays.h"

#include <algorithm>

#include "cache/lazy.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/sparse/lists.h"

namespace plainfs::robject {
namespace {

class Reshaped final : public Array {
 public:
  Reshaped(ArrayPtr vector, Shape shape)
      : Array(vector->dtype(), std::move(shape), true), vector_(std::move(vector)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    if (element_count(box.extent) == 0) return zero_elements(dtype(), 0);
    // From this axis on, the box covers the whole array, so that its elements are contiguous.
    size_t axis = shape().size() - 1;
    while (axis > 0 && box.extent[axis] == shape()[axis]) --axis;
    const uint64_t run = element_count(std::span(box.extent).subspan(axis));
    Elements result = zero_elements(dtype(), 0);
    Shape at = box.origin;
    for (;;) {
      uint64_t first = 0;
      for (size_t d = 0; d < at.size(); ++d) first = first * shape()[d] + at[d];
      Elements part = vector_->read(range(first, run));
      if (run == element_count(box.extent)) return part;
      append(dtype(), result, part, 0, run);
      size_t d = axis;
      while (d > 0 && ++at[d - 1] == box.origin[d - 1] + box.extent[d - 1]) {
        at[d - 1] = box.origin[d - 1];
        --d;
      }
      if (d == 0) return result;
    }
  }
  Shape chunk_shape() const override {
    constexpr uint64_t kElements = 1 << 17;
    Shape chunk = shape();
    uint64_t inner = 1;
    for (size_t d = chunk.size(); d-- > 0;) {
      chunk[d] = std::clamp<uint64_t>(kElements / std::max<uint64_t>(inner, 1), 1,
                                      std::max<uint64_t>(shape()[d], 1));
      if (d + 1 == chunk.size()) chunk[d] = shape()[d];  // R's columns are not divided
      inner *= chunk[d];
    }
    return chunk;
  }
  void check() const override { vector_->check(); }
  bool may_be_missing() const override { return vector_->may_be_missing(); }

 private:
  const ArrayPtr vector_;
};

class RunLengths final : public Array {
 public:
  RunLengths(ArrayPtr values, std::vector<uint64_t> ends)
      : Array(values->dtype(), {ends.empty() ? 0 : ends.back()}),
        values_(std::move(values)),
        ends_(std::move(ends)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements result = zero_elements(dtype(), 0);
    if (box.extent[0] == 0) return result;
    uint64_t at = box.origin[0];
    const uint64_t end = at + box.extent[0];
    const auto run_at = [this](uint64_t element) {
      return static_cast<uint64_t>(std::upper_bound(ends_.begin(), ends_.end(), element) - ends_.begin());
    };
    const uint64_t first = run_at(at), last = run_at(end - 1);
    const Elements values = values_->read(range(first, last + 1 - first));
    for (uint64_t run = first; run <= last; ++run) {
      const uint64_t until = std::min(end, ends_[run]);
      Elements one = zero_elements(dtype(), 0);
      append(dtype(), one, values, run - first, 1);
      append(dtype(), result, repeated_element(dtype(), one, until - at), 0, until - at);
      at = until;
    }
    return result;
  }
  Shape chunk_shape() const override { return {std::min<uint64_t>(count(), 1 << 15)}; }
  void check() const override { values_->check(); }

 private:
  const ArrayPtr values_;
  const std::vector<uint64_t> ends_;
};

// The column of each entry. It keeps the pointers after the first read: an eighth of the memory that R needs
// for a matrix's names alone.
class MajorsOf final : public Array {
 public:
  MajorsOf(ArrayPtr pointer, uint64_t entries)
      : Array(number_type(Kind::unsigned_integer, 8), {entries}), pointer_(std::move(pointer)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    const std::vector<uint64_t>& ends = this->ends();
    Elements elements;
    elements.count = box.extent[0];
    elements.bytes.resize(checked_size(elements.count, 8));
    const auto values = elements.mutable_values<uint64_t>();
    uint64_t major =
        static_cast<uint64_t>(std::upper_bound(ends.begin(), ends.end(), box.origin[0]) - ends.begin());
    for (size_t i = 0; i < values.size(); ++i) {
      while (ends[major] <= box.origin[0] + i) ++major;
      values[i] = major;
    }
    return elements;
  }
  Shape chunk_shape() const override { return {std::min<uint64_t>(count(), 1 << 15)}; }
  void check() const override {
    pointer_->check();
    ends();
  }
  bool may_be_missing() const override { return false; }

 private:
  const std::vector<uint64_t>& ends() const {
    return ends_.get([this] { return read_ends(); });
  }
  std::vector<uint64_t> read_ends() const {
    major_count(*pointer_);
    std::vector<uint64_t> ends;
    const auto keep = [&](uint64_t number, uint64_t pointer) {
      if (number > 0) ends.push_back(pointer);
    };
    check_last_pointer(for_each_pointer(*pointer_, count(), keep), count());
    return ends;
  }

  const ArrayPtr pointer_;
  Lazy<std::vector<uint64_t>> ends_;
};

}  // namespace

ArrayPtr reshaped(ArrayPtr vector, Shape shape) {
  return std::make_shared<Reshaped>(std::move(vector), std::move(shape));
}

ArrayPtr column_of(ArrayPtr matrix, uint64_t column) {
  Box part = at_index(matrix->shape(), 0, column);
  return slice(std::move(matrix), std::move(part), {1});
}

ArrayPtr run_lengths(ArrayPtr values, std::vector<uint64_t> ends) {
  return std::make_shared<RunLengths>(std::move(values), std::move(ends));
}

ArrayPtr all_true(uint64_t count) {
  const DType truth = number_type(Kind::boolean, 1);
  Elements one = zero_elements(truth, 1);
  one.bytes[0] = std::byte{1};
  return constant(truth, {count}, std::move(one));
}

ArrayPtr majors_of(ArrayPtr pointer, uint64_t entries) {
  return std::make_shared<MajorsOf>(std::move(pointer), entries);
}

}  // namespace plainfs::robject
