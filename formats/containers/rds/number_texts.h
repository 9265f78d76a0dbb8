// The texts that R's as.character() returns for numbers. R stores such a vector as numbers until its texts
// are used, and saves it in this form (ALTREP class deferred_string).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace plainfs::rds {

// Returns the text of a double: its first 15 significant digits without trailing zeros. The notation is fixed
// unless the scientific one is more than scipen characters shorter (formatReal and scientific in
// src/main/format.c of R 4.2; NEWS of R 4.3). Also returns "NaN", "Inf" and "-Inf". Returns nullopt if
// versions of R differ: when 15 digits do not read back to the number, R's versions and machines round it
// differently. Requires: number is not NA.
std::optional<std::string> character_of(double number, int scipen = 0);

}  // namespace plainfs::rds
