#include "formats/schemas/robject/arrays.h"

#include <algorithm>

#include "cache/cancellable_lock.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/derived_array.h"

namespace plainfs::robject {
namespace {

class Reshaped final : public Array {
 public:
  Reshaped(ArrayPtr vector, Shape shape)
      : Array(vector->dtype(), std::move(shape), true), vector_(std::move(vector)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    if (element_count(box.extent) == 0) return zero_elements(dtype(), 0);
    // From this axis on the box is all there is: its elements lie one after another.
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
      if (d + 1 == chunk.size()) chunk[d] = shape()[d];  // no line of R's is cut
      inner *= chunk[d];
    }
    return chunk;
  }
  void check() const override { vector_->check(); }
  bool may_be_missing() const override { return vector_->may_be_missing(); }

 private:
  const ArrayPtr vector_;
};

class ColumnOf final : public DerivedArray {
 public:
  ColumnOf(ArrayPtr matrix, uint64_t column)
      : DerivedArray(matrix, matrix->dtype(), {matrix->shape()[1]}, false), column_(column) {}
  Shape chunk_shape() const override { return {values().chunk_shape()[1]}; }
  bool may_be_missing() const override { return values().may_be_missing(); }

 private:
  Box stored_box(const Box& box) const override {
    check_inside(box, shape());
    return {{column_, box.origin[0]}, {1, box.extent[0]}};
  }
  const uint64_t column_;
};

class Selected final : public Array {
 public:
  Selected(ArrayPtr names, std::vector<uint64_t> places)
      : Array(names->dtype(), {places.size()}), names_(std::move(names)), places_(std::move(places)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements result = zero_elements(dtype(), 0);
    const uint64_t end = box.origin[0] + box.extent[0];
    for (uint64_t i = box.origin[0]; i < end;) {
      uint64_t last = i + 1;  // of a run of places that stand near each other
      while (last < end && places_[last] - places_[i] < kSpan) ++last;
      const uint64_t first = places_[i];
      const Elements part = names_->read(range(first, places_[last - 1] + 1 - first));
      for (; i < last; ++i) append(dtype(), result, part, places_[i] - first, 1);
    }
    return result;
  }
  Shape chunk_shape() const override { return {std::min<uint64_t>(count(), kSpan)}; }
  void check() const override { names_->check(); }

 private:
  static constexpr uint64_t kSpan = 4096;
  const ArrayPtr names_;
  const std::vector<uint64_t> places_;
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

class AllTrue final : public Array {
 public:
  explicit AllTrue(uint64_t count) : Array(number_type(Kind::boolean, 1), {count}) {}
  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements elements;
    elements.count = box.extent[0];
    elements.bytes.resize(checked_size(elements.count, 1));
    std::fill(elements.bytes.begin(), elements.bytes.end(), std::byte{1});
    return elements;
  }
  Shape chunk_shape() const override { return {std::min<uint64_t>(count(), 1 << 15)}; }
  bool may_be_missing() const override { return false; }
};

class Counting final : public Array {
 public:
  explicit Counting(uint64_t count) : Array(number_type(Kind::unsigned_integer, 8), {count}) {}
  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements elements;
    elements.count = box.extent[0];
    elements.bytes.resize(checked_size(elements.count, 8));
    const auto values = elements.mutable_values<uint64_t>();
    for (size_t i = 0; i < values.size(); ++i) values[i] = box.origin[0] + i;
    return elements;
  }
  Shape chunk_shape() const override { return {std::min<uint64_t>(count(), 1 << 15)}; }
  bool may_be_missing() const override { return false; }
};

// Holds the pointers once it is used: an eighth of what R holds of a matrix' names alone.
class MajorsOf final : public Array {
 public:
  MajorsOf(ArrayPtr pointer, uint64_t entries)
      : Array(number_type(Kind::unsigned_integer, 8), {entries}), pointer_(std::move(pointer)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    read_.call([this] { read_pointers(); });
    Elements elements;
    elements.count = box.extent[0];
    elements.bytes.resize(checked_size(elements.count, 8));
    const auto values = elements.mutable_values<uint64_t>();
    uint64_t major =
        static_cast<uint64_t>(std::upper_bound(ends_.begin(), ends_.end(), box.origin[0]) - ends_.begin());
    for (size_t i = 0; i < values.size(); ++i) {
      while (ends_[major] <= box.origin[0] + i) ++major;
      values[i] = major;
    }
    return elements;
  }
  Shape chunk_shape() const override { return {std::min<uint64_t>(count(), 1 << 15)}; }
  void check() const override {
    pointer_->check();
    read_.call([this] { read_pointers(); });
  }
  bool may_be_missing() const override { return false; }

 private:
  void read_pointers() const {
    const Elements pointers = read_all(*pointer_);
    const auto values = pointers.values<int32_t>();
    if (values.empty() || values[0] != 0) throw damaged("the pointers of a matrix do not begin with 0");
    std::vector<uint64_t> ends;
    int32_t before = 0;
    for (const int32_t value : values.subspan(1)) {
      if (value < before) throw damaged("pointer {} is after {}", value, before);
      before = value;
      ends.push_back(static_cast<uint64_t>(value));
    }
    if (static_cast<uint64_t>(before) != count())
      throw damaged("the pointers end at {}, expected {}, the number of entries", before, count());
    ends_ = std::move(ends);
  }

  const ArrayPtr pointer_;
  mutable Once read_;
  mutable std::vector<uint64_t> ends_;  // filled once, by read_
};

}  // namespace

ArrayPtr reshaped(ArrayPtr vector, Shape shape) {
  return std::make_shared<Reshaped>(std::move(vector), std::move(shape));
}

ArrayPtr column_of(ArrayPtr matrix, uint64_t column) {
  return std::make_shared<ColumnOf>(std::move(matrix), column);
}

ArrayPtr selected(ArrayPtr names, std::vector<uint64_t> places) {
  return std::make_shared<Selected>(std::move(names), std::move(places));
}

ArrayPtr run_lengths(ArrayPtr values, std::vector<uint64_t> ends) {
  return std::make_shared<RunLengths>(std::move(values), std::move(ends));
}

ArrayPtr all_true(uint64_t count) {
  return std::make_shared<AllTrue>(count);
}

ArrayPtr counting(uint64_t count) {
  return std::make_shared<Counting>(count);
}

ArrayPtr majors_of(ArrayPtr pointer, uint64_t entries) {
  return std::make_shared<MajorsOf>(std::move(pointer), entries);
}

}  // namespace plainfs::robject
