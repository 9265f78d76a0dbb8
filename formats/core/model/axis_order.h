// Axis permutations of elements in memory: of arrays that are stored column by column (Fortran, R), which is
// the permutation that reverses the axes, of Zarr's order F and its transpose codec, and of delayed arrays.
// order[k] is the axis of the array that is stored as axis k (zarr-specs, codecs/transpose).
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/model/array.h"

namespace plainfs {

using AxisOrder = std::vector<uint64_t>;

AxisOrder reversed_axes(size_t rank);
// Whether order is a permutation of 0 … rank - 1.
bool is_axis_order(const AxisOrder& order, size_t rank);

// The shape that an array of this shape is stored with, and back.
Shape stored_shape(const Shape& shape, const AxisOrder& order);
Shape shape_before(const Shape& stored, const AxisOrder& order);

// stored holds elements in C order of stored_shape(shape, order); the result holds them in C order of shape.
// In tiles, so that both sides are gone through by cache lines. Requires: stored are product(shape) elements,
// order a permutation.
Bytes transposed_back(Bytes stored, uint64_t element_size, const Shape& shape, const AxisOrder& order);
Elements transposed_back(const DType& dtype, Elements stored, const Shape& shape, const AxisOrder& order);

}  // namespace plainfs
