// Dense arrays assembled lazily from others: permuted axes, selected indices of an axis, several arrays
// joined. All are in C order of the object's axes.
#pragma once

#include <memory>
#include <vector>

#include "formats/core/model/arrays/array.h"

namespace plainfs {

using Indices = std::shared_ptr<const std::vector<uint64_t>>;

// Returns the array in which axis i is axis axes[i] of `values`. Requires: axes is a permutation.
ArrayPtr permuted(ArrayPtr values, std::vector<size_t> axes);

// Returns the given indices of an axis, in their order. They may repeat. Requires: all are below the axis's
// extent.
ArrayPtr subset(ArrayPtr values, size_t axis, Indices indices);

// Returns the given indices of an axis of reals, in their order; kNoIndex stands for NaN. Requires: values is
// not column-major; the others are below the axis's extent.
inline constexpr uint64_t kNoIndex = UINT64_MAX;
ArrayPtr reindexed(const ArrayPtr& values, size_t axis, const std::vector<uint64_t>& indices);

// Returns the parts joined along an axis. Requires: at least one, all of one type and equal in all other
// axes.
ArrayPtr combined(std::vector<ArrayPtr> parts, size_t axis);

// Elements [from, from + count) of a list.
struct Stretch {
  uint64_t from;
  uint64_t count;
};
using Stretches = std::shared_ptr<const std::vector<Stretch>>;

// Returns stretches of a list, joined. Elements between two close stretches are read with them. Requires: all
// lie inside the list.
ArrayPtr gathered(ArrayPtr values, const Stretches& stretches);

// Returns one NaN of a type of reals; one zero of any other type of numbers.
Elements not_a_number_of(const DType& type);

// Returns the elements at those positions. Requires: all are below elements.count.
Elements gather(const DType& type, const Elements& elements, const std::vector<uint64_t>& positions);

}  // namespace plainfs
