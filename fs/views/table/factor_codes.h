// The codes of a factor in the numbering of other programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/arrays/factor.h"
#include "fs/layout/byte_layout.h"

namespace plainfs {

// A factor that other programs accept: its levels are present and distinct.
struct NativeFactor {
  FactorParts parts;
  std::vector<std::string> levels;
};
// Returns the factor; nullopt for any other array. Reads the levels.
std::optional<NativeFactor> native_factor(const Array& array);

// Returns R's codes: four bytes each, big-endian, from 1; a missing one is NA.
SegmentPtr r_codes(const NativeFactor& factor);
// Returns AnnData's codes: integers of 32 bits, from 0; a missing one is -1.
ArrayPtr anndata_codes(const NativeFactor& factor);

}  // namespace plainfs
