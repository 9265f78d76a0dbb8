// Values in R's sense: column-major, with a type for logicals, and with the bit patterns of R's NA marked as
// missing.
#pragma once

#include <set>
#include <string>

#include "formats/core/model/arrays/array.h"

namespace plainfs::h5seurat {

// The integers of an array that are logicals.
struct Logicals {
  bool itself = false;            // the array
  std::set<std::string> members;  // of a compound
};

// Returns values with R's missing values marked: -2^31 in 32-bit integers, -2^63 in 64-bit ones, R's NA in
// doubles (a NaN with low word 1954), 2 and -2^31 in logicals. Members and items are marked at any depth. The
// stored bits are unchanged.
ArrayPtr r_array(ArrayPtr values, const Logicals& logicals);

}  // namespace plainfs::h5seurat
