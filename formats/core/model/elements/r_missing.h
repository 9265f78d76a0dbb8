// R's missing numbers. NA_integer_ and a logical NA are the least integer of 32 bits. NA_real_ is a NaN with
// the low word 1954; arithmetic may quieten the NaN but keeps the word. Other NaNs are values (R:
// arithmetic.c, R_ValueOfNA() and R_IsNA()).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace plainfs {

constexpr int32_t kRMissingInteger = INT32_MIN;
constexpr uint64_t kRMissingRealBits = 0x7ff00000000007a2;

// Returns NA_real_ as R stores it.
constexpr double r_missing_real() {
  return std::bit_cast<double>(kRMissingRealBits);
}

// Returns whether a double is R's NA, and no other NaN.
inline bool is_r_missing(double value) {
  return std::isnan(value) &&
         static_cast<uint32_t>(std::bit_cast<uint64_t>(value)) == static_cast<uint32_t>(kRMissingRealBits);
}

}  // namespace plainfs
