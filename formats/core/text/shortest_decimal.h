// The shortest decimal that reads back as a binary floating-point number, by Raffaele Giulietti's Schubfach
// ("The Schubfach way to render doubles", 2021). The choice among the candidates is made without branches,
// because real data make it unpredictable.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "formats/core/base/int128.h"

namespace plainfs {

// digits * 10^exponent. digits may end in zeros; 0 only for zero.
struct Decimal {
  uint64_t digits;
  int32_t exponent;
};

// significand * 2^exponent, significand > 0. lower_is_closer: the next smaller number is only half as far
// away as the next larger one (a power of two, unless it is the smallest normal one).
struct Binary {
  uint64_t significand;
  int32_t exponent;
  bool lower_is_closer;
};

// 10^k = (high * 2^64 + low) * 2^e, rounded up, for the e such that 2^127 <= high * 2^64 + low < 2^128.
struct PowerOfTen {
  uint64_t high;
  uint64_t low;
};
inline constexpr int32_t kLeastPower = -292;
inline constexpr int32_t kGreatestPower = 324;
extern const std::array<PowerOfTen, kGreatestPower - kLeastPower + 1> kBinaryPowersOfTen;

namespace schubfach {

// Return floor(log10(2^e)), or that of 3/4 * 2^e, and floor(log2(10^e)). Exact for every exponent of a
// double.
inline int32_t floor_log10_power_of_two(int32_t e, bool three_quarters) {
  return (e * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}
inline int32_t floor_log2_power_of_ten(int32_t e) {
  return (e * 1741647) >> 19;
}

// A power of ten as a factor: all of it, or the upper half, rounded up, for 24-bit significands.
struct LongPower {
  // Bits of a 60-bit fraction by which one product may be wrong, with some margin.
  static constexpr int kErrorBits = 3;
  PowerOfTen power;
  uint64_t top() const { return power.high; }
};
struct ShortPower {
  static constexpr int kErrorBits = 30;
  uint64_t power;
  uint64_t top() const { return power; }
};

// The product of a power and a value, scaled down by the bits of the power.
struct Product {
  uint64_t whole;
  uint64_t fraction;  // 64 bits
};
inline Product multiply(LongPower by, uint64_t value) {
  const Uint128 low = Uint128{by.power.low} * value;
  const Uint128 sum = Uint128{by.power.high} * value + static_cast<uint64_t>(low >> 64);
  return {static_cast<uint64_t>(sum >> 64), static_cast<uint64_t>(sum)};
}
inline Product multiply(ShortPower by, uint64_t value) {
  const Uint128 product = Uint128{by.power} * value;
  return {static_cast<uint64_t>(product >> 64), static_cast<uint64_t>(product)};
}

// Return the product rounded to odd: the lowest bit is also set if anything was cut off.
inline uint64_t multiply_to_odd(LongPower power, uint64_t value) {
  const Product product = multiply(power, value);
  return product.whole | (product.fraction > 1);
}
inline uint64_t multiply_to_odd(ShortPower power, uint64_t value) {
  const Product product = multiply(power, value);
  return product.whole | (product.fraction >> 32 > 1);
}

// Returns all ones if it holds, for choices that the compiler does not turn into a branch.
inline uint64_t mask(bool holds) {
  return 0 - uint64_t{holds};
}

// Returns the shortest decimal. `value` and the ends of its rounding interval are scaled by 4 * 10^-k. A
// multiple of 10^(k+1) in the interval is shorter than the candidates at 10^k. If both neighbours at 10^k are
// inside, or neither, the nearer one is used.
inline Decimal choose(uint64_t lower, uint64_t value, uint64_t upper, int32_t k) {
  const uint64_t ones = value / 4;
  const uint64_t tens = ones / 10;
  const bool tens_below = lower <= 40 * tens;
  const bool tens_above = 40 * tens + 40 <= upper;
  const bool ones_below = lower <= 4 * ones;
  const bool ones_above = 4 * ones + 4 <= upper;
  const uint64_t middle = 4 * ones + 2;
  const bool nearer_above = (value > middle) | ((value == middle) & (ones & 1));
  const bool one_side = ones_below != ones_above;
  const bool above = (one_side & ones_above) | (!one_side & nearer_above);
  const bool shorter = (ones >= 10) & (tens_below != tens_above);
  const uint64_t at_k = ones + above, at_next = tens + tens_above;
  return {at_k ^ ((at_k ^ at_next) & mask(shorter)), k + shorter};
}

// Handles every number, with three products, so that each comparison is exact.
template <class Power>
[[gnu::noinline]] Decimal shortest_of_any(Binary value, Power power, int32_t k, int32_t shift) {
  const uint64_t odd = value.significand & 1;  // the ends themselves read back only to an even significand
  const uint64_t scaled = multiply_to_odd(power, 4 * value.significand << shift);
  const uint64_t lower = multiply_to_odd(power, (4 * value.significand - 2 + value.lower_is_closer) << shift);
  const uint64_t upper = multiply_to_odd(power, (4 * value.significand + 2) << shift);
  return choose(lower + odd, scaled, upper - odd, k);
}

// One product, and half the interval's width, which is the power itself, determine what is inside and what is
// nearer, unless the difference is below the error of the product. Works in 60-bit fractions. Requires:
// !value.lower_is_closer.
template <class Power>
[[gnu::always_inline]] inline Decimal shortest(Binary value, Power power, int32_t k, int32_t shift) {
  constexpr uint64_t kError = uint64_t{1} << Power::kErrorBits;
  constexpr uint64_t kOne = uint64_t{1} << 60;
  const Product scaled = multiply(power, value.significand << shift);
  const uint64_t tens = scaled.whole / 10 * 10;
  const uint64_t ones_over = scaled.fraction >> 4, over = (scaled.whole - tens) * kOne + ones_over;
  const uint64_t half_width = power.top() >> (5 - shift);
  // The interval is narrower than ten, so only the nearer multiple can be inside.
  const bool upper_ten = over > 5 * kOne, upper_one = ones_over > kOne / 2;
  const uint64_t distance = std::min(over, 10 * kOne - over);
  if ((distance - half_width + kError <= 2 * kError) | (ones_over - kOne / 2 + kError <= 2 * kError) |
      (scaled.whole < 10)) [[unlikely]]
    return shortest_of_any(value, power, k, shift);
  const uint64_t one = scaled.whole + upper_one, ten = tens + (10 & mask(upper_ten));
  return {one ^ ((one ^ ten) & mask(distance < half_width)), k};
}

// Returns the shift for a power: 1 to 4.
inline int32_t shift_for(int32_t exponent, int32_t k) {
  return exponent + floor_log2_power_of_ten(-k) + 1;
}

// A branch, because as an operand lower_is_closer would hold up the arithmetic. The registers that a compiler
// takes for it may depend on the number before, which is then finished first.
template <class Power, class PowerFor>
[[gnu::always_inline]] inline Decimal shortest(Binary value, PowerFor power_for) {
  if (value.lower_is_closer) [[unlikely]] {
    const int32_t k = floor_log10_power_of_two(value.exponent, true);
    return shortest_of_any(value, power_for(-k), k, shift_for(value.exponent, k));
  }
  const int32_t k = floor_log10_power_of_two(value.exponent, false);
  return shortest(value, power_for(-k), k, shift_for(value.exponent, k));
}

}  // namespace schubfach

// Returns the shortest decimal. Requires: a significand of at most 53 bits and an exponent in [-1074, 971].
inline Decimal shortest_decimal_64(Binary value) {
  return schubfach::shortest<schubfach::LongPower>(
      value, [](int32_t k) { return schubfach::LongPower{kBinaryPowersOfTen[k - kLeastPower]}; });
}

// Returns the shortest decimal of a float32 or float16. Requires: a significand of at most 24 bits and an
// exponent in [-149, 104].
inline Decimal shortest_decimal_32(Binary value) {
  return schubfach::shortest<schubfach::ShortPower>(value, [](int32_t k) {
    const PowerOfTen power = kBinaryPowersOfTen[k - kLeastPower];
    return schubfach::ShortPower{power.high + (power.low != 0)};
  });
}

}  // namespace plainfs
