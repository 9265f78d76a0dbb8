// The codes of a factor as another program numbers them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/factor.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// A factor that programs with factors of their own would take: its levels are there, and distinct.
struct NativeFactor {
  FactorParts parts;
  std::vector<std::string> levels;
};
// Nullopt of any other array. Reads the levels.
std::optional<NativeFactor> native_factor(const Array& array);

// R's: four bytes each, big-endian, from 1, a missing one is NA.
SegmentPtr r_codes(const NativeFactor& factor);
// AnnData's: integers of 32 bits, from 0, a missing one is -1.
ArrayPtr anndata_codes(const NativeFactor& factor);

}  // namespace plainfs
