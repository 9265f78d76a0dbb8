// Ticks of an axis at round numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fs/serve/plots/plot.h"

namespace plainfs::serve {

struct Tick {
  double at;  // a place in the units of the axis
  std::string text;
};

// Returns the multiples of 1, 2 or 5 times a power of ten inside an interval, as few steps apart that there
// are at most `most` of them; none for an interval without length. Requires: most > 0.
std::vector<double> round_numbers(const Interval& range, size_t most);

}  // namespace plainfs::serve
