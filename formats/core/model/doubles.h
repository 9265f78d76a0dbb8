// Numbers and truth values of any type as doubles.
#pragma once

#include <limits>
#include <vector>

#include "formats/core/model/dtype.h"
#include "formats/core/model/elements.h"
#include "formats/core/model/number_cast.h"

namespace plainfs {

// Appends them all; what is missing is NaN. Requires: type.is_numeric().
inline void append_doubles(const DType& type, const Elements& elements, std::vector<double>& out) {
  visit_number(type, [&](auto zero) {
    const auto values = elements.values<decltype(zero)>();
    for (uint64_t i = 0; i < elements.count; ++i)
      out.push_back(elements.is_missing(i) ? std::numeric_limits<double>::quiet_NaN()
                                           : number_cast<double>(values[i]));
  });
}

}  // namespace plainfs
