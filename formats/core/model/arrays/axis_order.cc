#include "formats/core/model/arrays/axis_order.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace plainfs {
namespace {

// Elements are moved in squares of this length, so that the cache lines of both sides stay in the first-level
// cache.
constexpr uint64_t kTile = 32;

struct Axis {
  uint64_t length;
  uint64_t source_step;  // in elements
  uint64_t target_step;
};

struct Plane {
  Axis row;
  Axis column;
};

template <class Move>
void for_tiles(const Plane& plane, Move&& move) {
  for (uint64_t row = 0; row < plane.row.length; row += kTile) {
    const uint64_t row_end = std::min(row + kTile, plane.row.length);
    for (uint64_t column = 0; column < plane.column.length; column += kTile) {
      const uint64_t column_end = std::min(column + kTile, plane.column.length);
      for (uint64_t r = row; r < row_end; ++r) {
        for (uint64_t c = column; c < column_end; ++c) {
          move(r * plane.row.source_step + c * plane.column.source_step,
               r * plane.row.target_step + c * plane.column.target_step);
        }
      }
    }
  }
}

template <class T>
void move_plane(const Plane& plane, const std::byte* source, std::byte* target) {
  for_tiles(plane, [&](uint64_t from, uint64_t to) {
    std::memcpy(target + to * sizeof(T), source + from * sizeof(T), sizeof(T));
  });
}

void move_plane(const Plane& plane, uint64_t size, const std::byte* source, std::byte* target) {
  switch (size) {
    case 1:
      return move_plane<uint8_t>(plane, source, target);
    case 2:
      return move_plane<uint16_t>(plane, source, target);
    case 4:
      return move_plane<uint32_t>(plane, source, target);
    case 8:
      return move_plane<uint64_t>(plane, source, target);
  }
  for_tiles(plane,
            [&](uint64_t from, uint64_t to) { std::memcpy(target + to * size, source + from * size, size); });
}

// Returns the steps of both sides along the axes of `shape`.
std::vector<Axis> axes_of(const Shape& shape, const AxisOrder& order) {
  std::vector<Axis> axes(shape.size());
  uint64_t target_step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    axes[d] = {shape[d], 0, target_step};
    target_step *= shape[d];
  }
  uint64_t source_step = 1;
  for (size_t k = order.size(); k-- > 0;) {
    axes[order[k]].source_step = source_step;
    source_step *= shape[order[k]];
  }
  return axes;
}

// Calls visit(source, target) with the first element of each plane of the other axes.
template <class Visit>
void for_planes(const std::vector<Axis>& axes, Visit&& visit) {
  std::vector<uint64_t> at(axes.size(), 0);
  uint64_t source = 0;
  uint64_t target = 0;
  for (;;) {
    visit(source, target);
    size_t d = axes.size();
    while (d-- > 0) {
      source += axes[d].source_step;
      target += axes[d].target_step;
      if (++at[d] < axes[d].length) break;
      source -= axes[d].length * axes[d].source_step;
      target -= axes[d].length * axes[d].target_step;
      at[d] = 0;
    }
    if (d == SIZE_MAX) return;
  }
}

// Writes the result of transposed_back() to `target`. Returns false, and writes nothing, if the order is
// unchanged.
bool transpose(const std::byte* source, std::byte* target, uint64_t element_size, const Shape& shape,
               const AxisOrder& order) {
  std::vector<Axis> axes = axes_of(shape, order);
  std::erase_if(axes, [](const Axis& axis) { return axis.length == 1; });
  const bool same_order = std::is_sorted(
      axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.source_step > b.source_step; });
  if (same_order) return false;
  // Rows run along the axis that is contiguous in the source, columns along the one that is contiguous in the
  // target.
  const auto contiguous = std::min_element(
      axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.source_step < b.source_step; });
  Plane plane{{1, 0, 0}, axes.back()};
  if (contiguous != axes.end() - 1) plane.row = *contiguous;
  std::vector<Axis> others(axes.begin(), axes.end() - 1);
  if (contiguous != axes.end() - 1) others.erase(others.begin() + (contiguous - axes.begin()));
  for_planes(others, [&](uint64_t from, uint64_t to) {
    move_plane(plane, element_size, source + from * element_size, target + to * element_size);
  });
  return true;
}

template <class T>
std::vector<T> transposed(std::vector<T> stored, const Shape& shape, const AxisOrder& order) {
  std::vector<T> result(stored.size());
  if (stored.empty() || !transpose(reinterpret_cast<const std::byte*>(stored.data()),
                                   reinterpret_cast<std::byte*>(result.data()), sizeof(T), shape, order))
    return stored;
  return result;
}

}  // namespace

AxisOrder reversed_axes(size_t rank) {
  AxisOrder order(rank);
  std::iota(order.rbegin(), order.rend(), uint64_t{0});
  return order;
}

bool is_axis_order(const AxisOrder& order, size_t rank) {
  if (order.size() != rank) return false;
  std::vector<bool> seen(rank, false);
  for (const uint64_t axis : order) {
    if (axis >= rank || seen[axis]) return false;
    seen[axis] = true;
  }
  return true;
}

Shape stored_shape(const Shape& shape, const AxisOrder& order) {
  Shape stored(shape.size());
  for (size_t k = 0; k < order.size(); ++k) stored[k] = shape[order[k]];
  return stored;
}

Shape shape_before(const Shape& stored, const AxisOrder& order) {
  Shape shape(stored.size());
  for (size_t k = 0; k < order.size(); ++k) shape[order[k]] = stored[k];
  return shape;
}

Bytes transposed_back(Bytes stored, uint64_t element_size, const Shape& shape, const AxisOrder& order) {
  Bytes result(stored.size());
  if (stored.empty() || !transpose(stored.data(), result.data(), element_size, shape, order)) return stored;
  return result;
}

Elements transposed_back(const DType& dtype, Elements stored, const Shape& shape, const AxisOrder& order) {
  if (std::count_if(shape.begin(), shape.end(), [](uint64_t length) { return length > 1; }) < 2)
    return stored;
  Elements result;
  result.count = stored.count;
  if (layout_of(dtype) == Layout::flat) {
    const uint64_t size = stored.count == 0 ? 0 : stored.bytes.size() / stored.count;
    result.bytes = transposed_back(std::move(stored.bytes), size, shape, order);
    result.missing = transposed(std::move(stored.missing), shape, order);
    return result;
  }
  std::vector<uint64_t> places(stored.count);
  std::iota(places.begin(), places.end(), uint64_t{0});
  result = zero_elements(dtype, 0);
  for (const uint64_t place : transposed(std::move(places), shape, order))
    append(dtype, result, stored, place, 1);
  return result;
}

}  // namespace plainfs
