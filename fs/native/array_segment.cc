#include "fs/native/array_segment.h"

#include <algorithm>
#include <cstring>

#include "formats/base/checked.h"
#include "formats/model/box_runs.h"
#include "formats/model/derived_array.h"
#include "fs/text/array_runs.h"

namespace plainfs {

namespace {

constexpr uint64_t kWantedBytes = 256 * 1024;

class ArraySegment : public Segment {
 public:
  ArraySegment(ArrayPtr array, ElementForm form, Context& context)
      : array_(std::move(array)),
        form_(form),
        context_(context),
        size_(checked_multiply(array_->count(), form.size)) {}

  uint64_t size() const override { return size_; }

  void read(const Wanted& wanted) const override {
    const uint64_t first = wanted.offset / form_.size;
    const uint64_t count = divide_up(wanted.offset + wanted.out.size(), form_.size) - first;
    const Elements elements =
        wanted.in_passing ? read_run(*array_, first, count) : peek_run(*array_, first, count);
    read_elements(wanted, form_.size, [&](uint64_t from, uint64_t some, std::byte* out) {
      form_.write(array_->dtype(), elements, from - first, some, out);
    });
  }

  uint64_t least_block() const override {
    if (size_ == 0) return 1;
    const uint64_t wanted = kWantedBytes / form_.size;
    const uint64_t band = elements_in_band(array_->shape(), array_->chunk_shape());
    return run_length(wanted, band, array_->dtype(), context_) * form_.size;
  }

  void passed(uint64_t begin, uint64_t end) const override {
    passed_run(*array_, begin / form_.size, (end - begin) / form_.size);
  }

 private:
  const ArrayPtr array_;
  const ElementForm form_;
  Context& context_;
  const uint64_t size_;
};

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

}  // namespace

void read_elements(const Wanted& wanted, uint32_t size, const WriteElements& write) {
  uint64_t element = wanted.offset / size;
  std::span<std::byte> out = wanted.out;
  const auto cut_element = [&](uint64_t from) {
    Bytes whole(size);
    write(element, 1, whole.data());
    const size_t some = std::min<size_t>(size - from, out.size());
    std::memcpy(out.data(), whole.data() + from, some);
    out = out.subspan(some);
    ++element;
  };
  if (wanted.offset % size != 0) cut_element(wanted.offset % size);
  if (const uint64_t count = out.size() / size; count > 0) {
    write(element, count, out.data());
    out = out.subspan(count * size);
    element += count;
  }
  if (!out.empty()) cut_element(0);
}

SegmentPtr array_segment(ArrayPtr array, ElementForm form, Context& context) {
  return std::make_shared<ArraySegment>(std::move(array), form, context);
}

ArrayPtr in_column_order(ArrayPtr array) {
  if (array->column_major() || array->shape().size() < 2) return array;
  return std::make_shared<ReversedArray>(array);
}

}  // namespace plainfs
