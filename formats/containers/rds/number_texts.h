// The texts that R's as.character() makes of numbers. R keeps such a vector as its numbers until the texts
// are used, and saves it so (ALTREP class deferred_string).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace plainfs::rds {

// The text of a double: its first 15 significant digits without trailing zeros, in fixed notation unless the
// scientific one is more than scipen characters shorter (formatReal and scientific in src/main/format.c of R
// 4.2; NEWS of R 4.3). "NaN", "Inf" and "-Inf" too. nullopt if the text is not the
// same in every R: 15 digits do not read back to the number, since R's versions and machines round it
// differently. Requires: number is not NA.
std::optional<std::string> character_of(double number, int scipen = 0);

}  // namespace plainfs::rds
