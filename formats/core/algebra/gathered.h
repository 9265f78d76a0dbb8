// Dense arrays put together from others, lazily: axes in another order, some indices of an axis, several
// arrays one after another. All in C order of the axes as the object has them.
#pragma once

#include <memory>
#include <vector>

#include "formats/core/model/array.h"

namespace plainfs {

using Indices = std::shared_ptr<const std::vector<uint64_t>>;

// Axis i of the result is axis axes[i] of values. Requires: axes is a permutation.
ArrayPtr permuted(ArrayPtr values, std::vector<size_t> axes);
// The same array in C order where values says that its dimensions are in reverse, else values itself.
ArrayPtr in_object_order(ArrayPtr values);

// The given indices of an axis, in their order; they may repeat. Requires: all below the axis's extent.
ArrayPtr subset(ArrayPtr values, size_t axis, Indices indices);

// The parts one after another along an axis. Requires: at least one, of one type, equal in all other axes.
ArrayPtr combined(std::vector<ArrayPtr> parts, size_t axis);

// Elements [from, from + count) of a list.
struct Stretch {
  uint64_t from;
  uint64_t count;
};
using Stretches = std::shared_ptr<const std::vector<Stretch>>;

// Stretches of a list, one after another. What lies between two that are close is read with them. Requires:
// all inside the list.
ArrayPtr gathered(ArrayPtr values, const Stretches& stretches);

// The elements at those positions. Requires: all below elements.count.
Elements gather(const DType& type, const Elements& elements, const std::vector<uint64_t>& positions);

}  // namespace plainfs
