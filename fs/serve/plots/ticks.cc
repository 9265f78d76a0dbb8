#include "fs/serve/plots/ticks.h"

#include <algorithm>
#include <cmath>

namespace plainfs::serve {

std::vector<double> round_numbers(const Interval& range, size_t most) {
  const double length = range.high - range.low;
  if (!(length > 0) || !std::isfinite(length)) return {};
  const double least = length / static_cast<double>(most);
  const double power = std::pow(10, std::floor(std::log10(least)));
  if (!(power > 0)) return {};
  for (const double factor : {1.0, 2.0, 5.0, 10.0, 20.0}) {
    const double step = factor * power;
    const double first = std::ceil(range.low / step - 1e-9), last = std::floor(range.high / step + 1e-9);
    if (!std::isfinite(first) || std::abs(first) > 1e15) return {};
    if (last - first + 1 > static_cast<double>(most)) continue;
    std::vector<double> numbers;
    // The sum of 0 and a negative zero is 0.
    for (double number = first; number <= last; ++number) numbers.push_back(number * step + 0.0);
    return numbers;
  }
  return {};
}

}  // namespace plainfs::serve
