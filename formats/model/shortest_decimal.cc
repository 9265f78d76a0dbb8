#include "formats/model/shortest_decimal.h"

namespace plainfs {

namespace {

__extension__ typedef unsigned __int128 Wide;

// The powers of ten as 256-bit fractions, whose error stays far below the 128 bits that are kept.
// limbs[0] is the highest; the top bit is always set.
struct Fraction {
  std::array<uint64_t, 4> limbs{uint64_t{1} << 63, 0, 0, 0};

  constexpr void multiply_by_five() {
    uint64_t carry = 0;
    for (int i = 3; i >= 0; --i) {
      const Wide product = Wide{limbs[i]} * 5 + carry;
      limbs[i] = static_cast<uint64_t>(product);
      carry = static_cast<uint64_t>(product >> 64);
    }
    const int shift = carry >= 4 ? 3 : 2;  // carry: 2 to 4
    for (int i = 3; i > 0; --i) limbs[i] = limbs[i] >> shift | limbs[i - 1] << (64 - shift);
    limbs[0] = limbs[0] >> shift | carry << (64 - shift);
  }
  constexpr void divide_by_five() {
    uint64_t remainder = limbs[0] >= uint64_t{5} << 61 ? limbs[0] >> 62 : limbs[0] >> 61;
    const int shift = limbs[0] >= uint64_t{5} << 61 ? 2 : 3;
    for (int i = 0; i < 4; ++i) {
      const uint64_t next = i < 3 ? limbs[i + 1] >> (64 - shift) : 0;
      const Wide dividend = Wide{remainder} << 64 | (limbs[i] << shift | next);
      limbs[i] = static_cast<uint64_t>(dividend / 5);
      remainder = static_cast<uint64_t>(dividend % 5);
    }
  }
  constexpr PowerOfTen rounded_up() const {
    PowerOfTen result{limbs[0], limbs[1]};
    if ((limbs[2] | limbs[3]) != 0 && ++result.low == 0) ++result.high;
    return result;
  }
};

constexpr auto kPowers = [] {
  std::array<PowerOfTen, kGreatestPower - kLeastPower + 1> table{};
  Fraction up, down;
  for (int k = 0; k <= kGreatestPower; ++k, up.multiply_by_five()) table[k - kLeastPower] = up.rounded_up();
  for (int k = 0; k >= kLeastPower; --k, down.divide_by_five()) table[k - kLeastPower] = down.rounded_up();
  return table;
}();

// floor(log10(2^e)), or of 3/4 * 2^e; floor(log2(10^e)). Exact for every exponent of a double.
int32_t floor_log10_power_of_two(int32_t e, bool three_quarters) {
  return (e * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}
int32_t floor_log2_power_of_ten(int32_t e) {
  return (e * 1741647) >> 19;
}

// power * value / 2^(bits of power), rounded to odd: the lowest bit is also set where anything was cut off.
uint64_t multiply_to_odd(PowerOfTen power, uint64_t value) {
  const Wide low = Wide{power.low} * value;
  const Wide sum = Wide{power.high} * value + static_cast<uint64_t>(low >> 64);
  return static_cast<uint64_t>(sum >> 64) | (static_cast<uint64_t>(sum) > 1);
}
uint64_t multiply_to_odd(uint64_t power, uint64_t value) {
  const Wide product = Wide{power} * value;
  return static_cast<uint64_t>(product >> 64) | (static_cast<uint64_t>(product) >> 32 > 1);
}

// With upper and lower bound of the rounding interval and value itself all scaled by 4 * 10^-k.
Decimal shortest_in(uint64_t lower, uint64_t scaled, uint64_t upper, int32_t k) {
  const uint64_t s = scaled / 4;
  if (s >= 10) {
    const uint64_t tens = s / 10;
    const bool below_is_inside = lower <= 40 * tens;
    const bool above_is_inside = 40 * tens + 40 <= upper;
    if (below_is_inside != above_is_inside) return {tens + above_is_inside, k + 1};
  }
  const bool below_is_inside = lower <= 4 * s;
  const bool above_is_inside = 4 * s + 4 <= upper;
  if (below_is_inside != above_is_inside) return {s + above_is_inside, k};
  const uint64_t middle = 4 * s + 2;
  const bool up = scaled > middle || (scaled == middle && (s & 1) != 0);
  return {s + up, k};
}

template <class Power>
Decimal shortest(Binary value, Power power_for) {
  const uint64_t odd = value.significand & 1;  // the bounds themselves read back only to an even significand
  const int32_t k = floor_log10_power_of_two(value.exponent, value.lower_is_closer);
  const int32_t shift = value.exponent + floor_log2_power_of_ten(-k) + 1;
  const auto power = power_for(-k);
  const uint64_t scaled = multiply_to_odd(power, 4 * value.significand << shift);
  const uint64_t lower = multiply_to_odd(power, (4 * value.significand - 2 + value.lower_is_closer) << shift);
  const uint64_t upper = multiply_to_odd(power, (4 * value.significand + 2) << shift);
  return shortest_in(lower + odd, scaled, upper - odd, k);
}

}  // namespace

PowerOfTen power_of_ten(int32_t k) {
  return kPowers[k - kLeastPower];
}

Decimal shortest_decimal_64(Binary value) {
  return shortest(value, [](int32_t k) { return kPowers[k - kLeastPower]; });
}

Decimal shortest_decimal_32(Binary value) {
  return shortest(value, [](int32_t k) {
    const PowerOfTen power = kPowers[k - kLeastPower];
    return power.high + (power.low != 0);
  });
}

}  // namespace plainfs
