// What a factor is made of, for files that have factors of their own. Everyone else reads its labels.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

struct FactorParts {
  ArrayPtr codes;   // any integers
  ArrayPtr levels;  // text, numbers or truth values
  int64_t base;     // the code of the first level
  bool is_ordered;
  // Called with each code that is neither missing nor a level's, and the number of levels; it warns once.
  // Thread-safe.
  std::function<void(const std::string& code, uint64_t levels)> on_stray;
};

// Of an array that factor() made; nullopt of any other.
std::optional<FactorParts> factor_parts(const Array& array);

// The same without a look at what the parts hold; null of any other array. Lives as long as array.
const FactorParts* unchecked_factor_parts(const Array& array);

// The levels as text, as a .csv shows them. Throws unsupported where there are over 2^27.
Elements level_texts(const FactorParts& factor);

// The factor of those parts.
ArrayPtr factor_of(FactorParts parts, Context& context);

// Where each code's level stands, kNoLevel where there is none; codes are elements of factor.codes. Those
// that are not missing and have none are told of.
inline constexpr uint64_t kNoLevel = ~uint64_t{0};
std::vector<uint64_t> level_places(const FactorParts& factor, const Elements& codes, uint64_t levels);

}  // namespace plainfs
