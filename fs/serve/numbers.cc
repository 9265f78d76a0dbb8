#include "fs/serve/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plainfs::serve {
namespace {

constexpr uint64_t kBandElements = uint64_t{1} << 20;

double number_of(const DType& type, const Elements& elements, uint64_t i) {
  if (elements.is_missing(i)) return std::numeric_limits<double>::quiet_NaN();
  double number = 0;
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, Half>)
      number = to_float(elements.values<T>()[i]);
    else
      number = static_cast<double>(elements.values<T>()[i]);
  });
  return number;
}

}  // namespace

std::vector<double> sampled_rows(const Array& values, uint64_t rows, uint64_t step, uint64_t first,
                                 uint64_t columns) {
  const bool is_turned = values.column_major() && values.shape().size() == 2;
  const size_t rank = values.shape().size();
  const uint64_t band = std::max<uint64_t>(1, kBandElements / std::max<uint64_t>(1, columns));
  std::vector<double> sampled;
  // A step that is longer than a chunk leaves chunks out.
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
    const Elements elements = values.read(box);
    uint64_t at = 0;
    for (; at < count; at += step)
      for (uint64_t c = 0; c < columns; ++c)
        sampled.push_back(number_of(values.dtype(), elements, is_turned ? c * count + at : at * columns + c));
    values.passed(box);
    row += at;
  }
  return sampled;
}

ValueRange range_of(std::vector<double> values, double cut) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {};
  const auto at = [&](double part) {
    const auto place = values.begin() + static_cast<ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
  };
  return {at(cut), at(1 - cut)};
}

}  // namespace plainfs::serve
