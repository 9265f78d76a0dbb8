#include "formats/core/model/arrays/array_runs.h"

#include <algorithm>

namespace plainfs {

namespace {

Elements run_of(const Array& array, uint64_t first, uint64_t count,
                Elements (Array::*read)(const Box&) const) {
  if (count == 0) return zero_elements(array.dtype(), 0);
  array.check();  // a broken array has no valid shape
  if (first > array.count() || count > array.count() - first)
    throw damaged("values {} to {} are outside the {} values", first, first + count, array.count());
  Elements all;
  for (uint64_t done = 0; done < count;) {
    const Box box = box_at(array.shape(), first + done, count - done);
    Elements part = (array.*read)(box);
    const uint64_t size = element_count(box.extent);
    if (size == count) return part;
    if (done == 0)
      all = std::move(part);
    else
      append(array.dtype(), all, part, 0, size);
    done += size;
  }
  return all;
}

}  // namespace

Box box_at(const Shape& shape, uint64_t first, uint64_t count) {
  const size_t rank = shape.size();
  Box box{Shape(rank), Shape(rank, 1)};
  for (size_t axis = rank; axis-- > 0; first /= shape[axis]) box.origin[axis] = first % shape[axis];
  // Whole axes from the last one on, as long as the box begins at their start and they fit.
  uint64_t inner = 1;
  for (size_t axis = rank; axis-- > 0; inner *= shape[axis]) {
    box.extent[axis] = std::min(shape[axis] - box.origin[axis], count / inner);
    if (box.extent[axis] < shape[axis]) break;
  }
  return box;
}

Elements read_run(const Array& array, uint64_t first, uint64_t count) {
  return run_of(array, first, count, &Array::read);
}

Elements peek_run(const Array& array, uint64_t first, uint64_t count) {
  return run_of(array, first, count, &Array::peek);
}

void passed_run(const Array& array, uint64_t first, uint64_t count) {
  if (first > array.count() || count > array.count() - first) return;
  for (uint64_t done = 0; done < count;) {
    const Box box = box_at(array.shape(), first + done, count - done);
    array.release(box);
    done += element_count(box.extent);
  }
}

uint64_t elements_in_band(const Shape& shape, const Shape& chunk) {
  uint64_t band = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    // Before the first axis along which a chunk holds several elements, each index has its own chunks.
    const bool counted = band > 1;
    const uint64_t along = counted ? shape[axis] : std::min(chunk[axis], shape[axis]);
    if (__builtin_mul_overflow(band, std::max<uint64_t>(along, 1), &band)) return UINT64_MAX;
  }
  return band;
}

uint64_t decoded_size(const DType& type) {
  switch (layout_of(type)) {
    case Layout::compound: {
      uint64_t size = 0;
      for (const Field& field : type.fields) size += decoded_size(field.type);
      return std::max<uint64_t>(size, 1);
    }
    case Layout::array: {
      uint64_t size = decoded_size(*type.item);
      for (const uint64_t length : type.dims)
        if (__builtin_mul_overflow(size, std::max<uint64_t>(length, 1), &size)) return UINT64_MAX;
      return size;
    }
    case Layout::flat:
    case Layout::heap:
    case Layout::sequence:
      break;
  }
  return type.size > 0 ? type.size : 32;
}

uint64_t run_length(uint64_t wanted, uint64_t band_elements, const DType& type, const Context& context) {
  const uint64_t budget = context.cache.statistics().budget_bytes / decoded_size(type);
  if (band_elements <= budget / 2) return wanted;
  return std::max(wanted, budget / 8);
}

}  // namespace plainfs
