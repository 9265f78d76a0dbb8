// The parts of a factor, for output formats that have factors of their own. All other code reads its labels.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

struct FactorParts {
  ArrayPtr codes;   // any integers
  ArrayPtr levels;  // text, numbers or truth values
  int64_t base;     // the code of the first level
  bool is_ordered;
  // Called with each code that is neither missing nor a level, and the number of levels. Logs a warning once.
  // Thread-safe.
  std::function<void(const std::string& code, uint64_t levels)> on_stray;
};

// Returns the parts of an array that factor() made; nullopt for any other array.
std::optional<FactorParts> factor_parts(const Array& array);

// Returns the parts without checking their content; null for any other array. Lives as long as `array`.
const FactorParts* unchecked_factor_parts(const Array& array);

// Returns the levels as text, as in a .csv. Throws unsupported if there are over 2^27.
Elements level_texts(const FactorParts& factor);

// Returns the factor with those parts.
ArrayPtr factor_of(FactorParts parts, Context& context);

// Returns the index of each code's level, or kNoLevel. `codes` are elements of factor.codes. Calls on_stray
// for codes that have no level and are not missing.
inline constexpr uint64_t kNoLevel = ~uint64_t{0};
std::vector<uint64_t> level_places(const FactorParts& factor, const Elements& codes, uint64_t levels);

}  // namespace plainfs
