// Axis permutations of elements in memory: for arrays stored column by column (Fortran, R), which reverse the
// axes, for Zarr's order F and its transpose codec, and for delayed arrays. order[k] is the axis of the array
// that is stored as axis k (zarr-specs, codecs/transpose).
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs {

using AxisOrder = std::vector<uint64_t>;

AxisOrder reversed_axes(size_t rank);
// Returns whether `order` is a permutation of 0 … rank - 1.
bool is_axis_order(const AxisOrder& order, size_t rank);

// Return the stored shape of an array of `shape`, and the shape of an array stored with `stored`.
Shape stored_shape(const Shape& shape, const AxisOrder& order);
Shape shape_before(const Shape& stored, const AxisOrder& order);

// Returns the elements of `stored`, in C order of stored_shape(shape, order), in C order of `shape`. Works in
// tiles, so that both sides are accessed by cache lines. Requires: `stored` has product(shape) elements, and
// `order` is a permutation.
Bytes transposed_back(Bytes stored, uint64_t element_size, const Shape& shape, const AxisOrder& order);
Elements transposed_back(const DType& dtype, Elements stored, const Shape& shape, const AxisOrder& order);

}  // namespace plainfs
