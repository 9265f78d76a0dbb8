// The shortest decimal that reads back to a binary floating-point number, by Raffaele Giulietti's Schubfach
// ("The Schubfach way to render doubles", 2021; the step numbers below are those of his figures 4 and 6).
#pragma once

#include <array>
#include <cstdint>

namespace plainfs {

// digits * 10^exponent. digits may end in zeros; 0 only for zero.
struct Decimal {
  uint64_t digits;
  int32_t exponent;
};

// significand * 2^exponent, significand > 0. lower_is_closer: the next smaller number is only half as far
// away as the next larger one (a power of two, unless the smallest normal one).
struct Binary {
  uint64_t significand;
  int32_t exponent;
  bool lower_is_closer;
};

// For numbers whose significand has at most 53 bits and whose exponent lies in [-1074, 971].
Decimal shortest_decimal_64(Binary value);
// For numbers whose significand has at most 24 bits and whose exponent lies in [-149, 104]: float32 and
// float16.
Decimal shortest_decimal_32(Binary value);

// 10^k = (high * 2^64 + low) * 2^e for the e that makes 2^127 <= high * 2^64 + low < 2^128, rounded up.
struct PowerOfTen {
  uint64_t high;
  uint64_t low;
};
inline constexpr int32_t kLeastPower = -292;
inline constexpr int32_t kGreatestPower = 324;
// Requires: kLeastPower <= k <= kGreatestPower.
PowerOfTen power_of_ten(int32_t k);

}  // namespace plainfs
