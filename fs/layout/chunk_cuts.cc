#include "fs/layout/chunk_cuts.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace plainfs {
namespace {

// Copies the part of the chunk at `origin` that lies in the band, line by line along the last axis.
void copy_box(const Shape& shape, const Shape& chunk, uint64_t size, ByteSpan band, const Shape& origin,
              Bytes& out) {
  const size_t rank = chunk.size();
  if (std::equal(shape.begin() + 1, shape.end(), chunk.begin() + 1))
    return void(std::memcpy(out.data(), band.data(), band.size()));
  Shape extent(rank), at(rank);
  extent[0] = band.size() / (elements_of_row(shape) * size);
  for (size_t axis = 1; axis < rank; ++axis) extent[axis] = std::min(chunk[axis], shape[axis] - origin[axis]);
  const uint64_t line = extent[rank - 1] * size;
  for (;;) {
    uint64_t from = at[0], to = at[0];
    for (size_t axis = 1; axis < rank; ++axis) {
      from = from * shape[axis] + origin[axis] + at[axis];
      to = to * chunk[axis] + at[axis];
    }
    std::memcpy(out.data() + to * size, band.data() + from * size, line);
    size_t axis = rank - 2;
    for (; ++at[axis] >= extent[axis]; --axis) {
      if (axis == 0) return;
      at[axis] = 0;
    }
  }
}

}  // namespace

uint64_t elements_of_row(const Shape& shape) {
  return shape.empty() ? 1 : element_count(std::span(shape).subspan(1));
}

void cut_band(const Shape& shape, const Shape& chunk, uint64_t element_bytes, ByteSpan band,
              const std::function<void(const Shape& origin, Bytes bytes)>& use) {
  Shape origin(chunk.size());
  for (;;) {
    Bytes whole(element_count(chunk) * element_bytes);
    std::fill(whole.begin(), whole.end(), std::byte{0});
    copy_box(shape, chunk, element_bytes, band, origin, whole);
    use(origin, std::move(whole));
    size_t axis = chunk.size() - 1;
    for (; axis > 0 && (origin[axis] += chunk[axis]) >= shape[axis]; --axis) origin[axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace plainfs
