// The memory layout of a box: the runs of adjacent elements it consists of, in a source block and a target
// block at once. Both blocks are dense and in C order.
#pragma once

#include <cstdint>

#include "formats/core/model/arrays/array.h"

namespace plainfs {

// `count` runs of `length` elements each. Run k starts at source + k * source_step and target + k *
// target_step.
struct Runs {
  uint64_t length;
  uint64_t count;
  uint64_t source;
  uint64_t source_step;
  uint64_t target;
  uint64_t target_step;
};

// Returns the strides of a dense block in elements. Requires: the block has less than 2^64 elements.
inline Shape strides_of(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

// Returns the number of elements before `origin`.
inline uint64_t place_of(const Shape& origin, const Shape& strides) {
  uint64_t place = 0;
  for (size_t d = 0; d < origin.size(); ++d) place += origin[d] * strides[d];
  return place;
}

// Returns position i, in C order, of a box, for example of a grid. Requires: i < element_count(box.extent).
inline Shape place_in(const Box& box, uint64_t i) {
  Shape place = box.origin;
  for (size_t d = place.size(); d-- > 0; i /= box.extent[d]) place[d] += i % box.extent[d];
  return place;
}

// Calls visit(const Runs&) until the whole box is visited, in the C order of the box. source_box lies in a
// block of source_shape and is copied to target_origin in a block of target_shape.
template <class Visit>
void for_each_runs(const Shape& source_shape, const Box& source_box, const Shape& target_shape,
                   const Shape& target_origin, Visit&& visit) {
  const Shape& extent = source_box.extent;
  for (const uint64_t axis : extent) {
    if (axis == 0) return;
  }
  // A run consists of all last axes that are whole in both blocks, and one more.
  Runs runs{.length = 1, .count = 1, .source = 0, .source_step = 0, .target = 0, .target_step = 0};
  size_t outer = extent.size();
  for (bool complete = true; complete && outer > 0;) {
    --outer;
    runs.length *= extent[outer];
    complete = extent[outer] == source_shape[outer] && extent[outer] == target_shape[outer];
  }
  const Shape source_strides = strides_of(source_shape);
  const Shape target_strides = strides_of(target_shape);
  runs.source = place_of(source_box.origin, source_strides);
  runs.target = place_of(target_origin, target_strides);
  if (outer > 0) {
    --outer;
    runs.count = extent[outer];
    runs.source_step = source_strides[outer];
    runs.target_step = target_strides[outer];
  }
  Shape at(outer, 0);
  for (;;) {
    visit(runs);
    size_t d = outer;
    for (;; --d) {
      if (d == 0) return;
      runs.source += source_strides[d - 1];
      runs.target += target_strides[d - 1];
      if (++at[d - 1] < extent[d - 1]) break;
      runs.source -= at[d - 1] * source_strides[d - 1];
      runs.target -= at[d - 1] * target_strides[d - 1];
      at[d - 1] = 0;
    }
  }
}

}  // namespace plainfs
