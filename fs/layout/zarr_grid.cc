#include "fs/layout/zarr_grid.h"

#include <algorithm>
#include <cmath>

#include "formats/core/base/checked.h"

namespace plainfs {

namespace {

uint64_t extent_product(const Shape& shape, size_t from) {
  uint64_t all = 1;
  for (size_t axis = from; axis < shape.size(); ++axis) all = checked_multiply(all, shape[axis]);
  return all;
}

// Returns the length that zarr-python chooses for an array with one axis.
uint64_t guessed_length(uint64_t length, uint64_t element_bytes, uint64_t max_bytes) {
  constexpr double kBase = 256 * 1024, kLeast = 128 * 1024, kUnit = 1024 * 1024;
  const auto element = static_cast<double>(element_bytes), most = static_cast<double>(max_bytes);
  const double wanted = std::clamp(
      kBase * std::pow(2, std::log10(static_cast<double>(length) * element / kUnit)), kLeast, most);
  const auto is_good = [&] {
    const double bytes = static_cast<double>(length) * element;
    return (bytes < wanted || std::abs(bytes - wanted) / wanted < 0.5) && bytes < most;
  };
  while (length > 1 && !is_good()) length = divide_up(length, uint64_t{2});
  return length;
}

}  // namespace

Shape zarr_chunk(const Shape& shape, uint64_t element_bytes, uint64_t max_bytes) {
  constexpr uint64_t kBandBytes = uint64_t{32} << 20, kChunkBytes = uint64_t{1} << 20, kLeastColumns = 256;
  Shape whole = shape;
  for (uint64_t& length : whole) length = std::max<uint64_t>(1, length);
  if (whole.empty()) return whole;
  if (whole.size() == 1) return {guessed_length(whole[0], element_bytes, max_bytes)};
  Shape chunk = whole;
  const uint64_t column = checked_multiply(extent_product(whole, 2), element_bytes);
  const uint64_t row = checked_multiply(whole[1], column);
  const auto rows_of = [](uint64_t bytes, uint64_t row_bytes) {
    return std::max<uint64_t>(1, bytes / row_bytes);
  };
  chunk[1] = std::min(whole[1], kLeastColumns);
  chunk[0] = std::min({whole[0], rows_of(kChunkBytes, chunk[1] * column), rows_of(kBandBytes, row)});
  const uint64_t line = checked_multiply(chunk[0], column);
  if (chunk[1] < whole[1]) chunk[1] = std::min(whole[1], std::max(chunk[1], kChunkBytes / line));
  return chunk;
}

Shape zarr_shard(const Shape& shape, const Shape& chunk, uint64_t element_bytes, uint64_t max_bytes) {
  Shape shard = chunk;
  for (size_t axis = 1; axis < shape.size(); ++axis)
    shard[axis] = checked_multiply(zarr_chunks(shape, chunk, axis), chunk[axis]);
  const uint64_t band = checked_multiply(extent_product(shard, 0), element_bytes);
  const uint64_t bands = std::min(zarr_chunks(shape, chunk, 0), max_bytes / std::max<uint64_t>(1, band));
  shard[0] = checked_multiply(chunk[0], std::max<uint64_t>(1, bands));
  return shard;
}

uint64_t zarr_chunks(const Shape& shape, const Shape& chunk, size_t axis) {
  return divide_up(std::max<uint64_t>(1, shape[axis]), chunk[axis]);
}

}  // namespace plainfs
