// Values as R means them: column-major, logicals as such, and the bit patterns that are R's NA marked as
// missing.
#pragma once

#include <set>
#include <string>

#include "formats/core/model/array.h"

namespace plainfs::h5seurat {

// Which integers are logicals.
struct Logicals {
  bool itself = false;            // the array
  std::set<std::string> members;  // of a compound
};

// Missing: 32-bit integers -2^31, 64-bit ones -2^63, doubles that are R's NA (a NaN with low word 1954);
// logicals 2 and -2^31. In members and items at any depth. The stored bits stay as they are.
ArrayPtr r_array(ArrayPtr values, const Logicals& logicals);

}  // namespace plainfs::h5seurat
