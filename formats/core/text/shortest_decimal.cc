#include "formats/core/text/shortest_decimal.h"

namespace plainfs {

namespace {

// A power of ten as a 256-bit fraction. Its error stays far below the 128 bits that are kept. limbs[0] is the
// highest; the top bit is always set.
struct Fraction {
  std::array<uint64_t, 4> limbs{uint64_t{1} << 63, 0, 0, 0};

  constexpr void multiply_by_five() {
    uint64_t carry = 0;
    for (int i = 3; i >= 0; --i) {
      const Uint128 product = Uint128{limbs[i]} * 5 + carry;
      limbs[i] = static_cast<uint64_t>(product);
      carry = static_cast<uint64_t>(product >> 64);
    }
    const int shift = carry >= 4 ? 3 : 2;  // carry: 2 to 4
    for (int i = 3; i > 0; --i) limbs[i] = limbs[i] >> shift | limbs[i - 1] << (64 - shift);
    limbs[0] = limbs[0] >> shift | carry << (64 - shift);
  }
  constexpr void divide_by_five() {
    const int shift = limbs[0] >= uint64_t{5} << 61 ? 2 : 3;
    uint64_t remainder = limbs[0] >> (64 - shift);
    for (int i = 0; i < 4; ++i) {
      const uint64_t next = i < 3 ? limbs[i + 1] >> (64 - shift) : 0;
      const Uint128 dividend = Uint128{remainder} << 64 | (limbs[i] << shift | next);
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

constexpr auto make_powers() {
  std::array<PowerOfTen, kGreatestPower - kLeastPower + 1> table{};
  Fraction up, down;
  for (int k = 0; k <= kGreatestPower; ++k, up.multiply_by_five()) table[k - kLeastPower] = up.rounded_up();
  for (int k = 0; k >= kLeastPower; --k, down.divide_by_five()) table[k - kLeastPower] = down.rounded_up();
  return table;
}

}  // namespace

constexpr std::array<PowerOfTen, kGreatestPower - kLeastPower + 1> kBinaryPowersOfTen = make_powers();

}  // namespace plainfs
