// Values as R means them: column-major, logicals as such, and the bit patterns that are R's NA marked as
// missing.
#pragma once

#include <set>
#include <string>

#include "formats/model/array.h"

namespace plainfs::h5seurat {

// Which integers are logicals.
struct Logicals {
  bool itself = false;            // the array
  std::set<std::string> members;  // of a compound
};

// Missing: 32-bit integers -2^31, 64-bit ones -2^63, doubles that are R's NA (a NaN with low word 1954);
// logicals 2 and -2^31. In members and items at any depth. The stored bits stay as they are.
ArrayPtr r_array(ArrayPtr values, const Logicals& logicals);

// Codes of a factor, of any integers: the one below base is missing too, as pandas means it (-1, or 0 once
// Convert has added 1).
ArrayPtr r_codes(ArrayPtr codes, int64_t base);

}  // namespace plainfs::h5seurat
