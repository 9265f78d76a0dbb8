#include "fs/serve/pages/model/samples.h"

#include <algorithm>
#include <cmath>

#include "formats/core/model/elements/number_cast.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kBandElements = uint64_t{1} << 20;

}  // namespace

std::vector<double> sampled_rows(const Array& values, uint64_t rows, uint64_t step, uint64_t first,
                                 uint64_t columns) {
  const bool is_turned = values.column_major() && values.shape().size() == 2;
  const size_t rank = values.shape().size();
  const uint64_t band = std::max<uint64_t>(1, kBandElements / std::max<uint64_t>(1, columns));
  std::vector<double> sampled, numbers;
  // With a step longer than a chunk, some chunks need not be read.
  const Shape chunk = values.chunk_shape();
  const uint64_t chunk_rows = rank == 0 ? 1 : chunk[is_turned ? 1 : 0];
  const bool is_apart = step > 2 * chunk_rows;
  for (uint64_t row = 0; row < rows;) {
    const uint64_t count = is_apart ? 1 : std::min(band, rows - row);
    Box box{Shape(rank, 0), Shape(rank, 1)};
    box.origin[is_turned ? 1 : 0] = row;
    box.extent[is_turned ? 1 : 0] = count;
    if (rank == 2) {
      box.origin[is_turned ? 0 : 1] = first;
      box.extent[is_turned ? 0 : 1] = columns;
    }
    numbers.clear();
    append_doubles(values.dtype(), values.read(box), numbers);
    uint64_t at = 0;
    for (; at < count; at += step)
      for (uint64_t c = 0; c < columns; ++c)
        sampled.push_back(numbers[is_turned ? c * count + at : at * columns + c]);
    values.release(box);
    row += at;
  }
  return sampled;
}

std::vector<Spot> envelope(const std::vector<double>& values, double first, double step, uint64_t most) {
  std::vector<Spot> spots;
  const uint64_t in_step = std::max<uint64_t>(1, (values.size() + most - 1) / most);
  for (uint64_t at = 0; at < values.size(); at += in_step) {
    const auto begin = values.begin() + static_cast<ptrdiff_t>(at);
    const auto end = values.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(at + in_step, values.size()));
    const double x = first + step * static_cast<double>(at);
    double low = INFINITY, high = -INFINITY;
    for (auto value = begin; value != end; ++value) {
      if (!std::isfinite(*value)) continue;
      low = std::min(low, *value);
      high = std::max(high, *value);
    }
    if (low > high) {
      spots.push_back({x, NAN});
      continue;
    }
    spots.push_back({x, low});
    if (high > low) spots.push_back({x, high});
  }
  return spots;
}

}  // namespace plainfs::serve
