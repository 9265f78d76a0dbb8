// The text layout of shortest decimals (number_text.h), for writers of single numbers and of runs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "formats/core/text/digits.h"
#include "formats/core/text/shortest_decimal.h"

namespace plainfs {

// Python's repr: scientific if the decimal exponent is below -4, or 16 and above.
inline constexpr int kLeastFixed = -4;
inline constexpr int kLeastScientific = 16;

// Returns the inverse of an odd number modulo 2^64.
constexpr uint64_t inverse_of(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

// Divides `value` by 10^kZeros if that leaves no remainder. Returns whether it did. Without a branch.
template <int kZeros>
bool strip_zeros(uint64_t& value) {
  constexpr uint64_t kInverse = inverse_of(kPowersOfTen[kZeros] >> kZeros);
  const uint64_t quotient = std::rotr(value * kInverse, kZeros);
  const bool whole = quotient <= UINT64_MAX / kPowersOfTen[kZeros];
  value ^= (value ^ quotient) & schubfach::mask(whole);
  return whole;
}

// Returns how many zeros the digits of `value` end in. Most have none or one, which is unpredictable.
// Requires: value > 0.
inline int trailing_zeros(uint64_t value) {
  int zeros = strip_zeros<1>(value);
  while (value % 10 == 0) {
    value /= 10;
    ++zeros;
  }
  return zeros;
}

// Returns the number of digits of a value that mostly has kMax digits or up to two less.
template <int kMax>
int digit_count_near(uint64_t value) {
  if (value < kPowersOfTen[kMax - 3]) return static_cast<int>(digit_count(value));
  return kMax - 2 + (value >= kPowersOfTen[kMax - 2]) + (value >= kPowersOfTen[kMax - 1]);
}

// Eight zeros as text.
inline constexpr uint64_t kEightZeros = 0x3030303030303030;

// The digits of a decimal as text, scaled to kMax digits, in registers. They are placed without being read
// back from memory, where a load that spans earlier stores would wait for them.
template <int kMax>  // 17 for a double, 9 for a float32
struct DigitText {
  char first;
  uint64_t next, last;  // eight characters each, the first in the lowest byte
  int count;            // digits without trailing zeros
  int exponent;         // of the first digit

  explicit DigitText(Decimal value) {
    const int digits = digit_count_near<kMax>(value.digits);
    const uint64_t scaled = value.digits * kPowersOfTen[static_cast<size_t>(kMax - digits)];
    const uint64_t rest = scaled % kPowersOfTen[kMax - 1];
    first = static_cast<char>('0' + scaled / kPowersOfTen[kMax - 1]);
    next = eight(static_cast<uint32_t>(kMax == 17 ? rest / 100000000 : rest));
    last = kMax == 17 ? eight(static_cast<uint32_t>(rest % 100000000)) : kEightZeros;
    count = digits_without_zeros();
    exponent = value.exponent + digits - 1;
  }
  // Takes digits that are text already.
  DigitText(char its_first, uint64_t its_next, uint64_t its_last, int its_exponent)
      : first(its_first),
        next(its_next),
        last(its_last),
        count(digits_without_zeros()),
        exponent(its_exponent) {}

  // Counts the digits without trailing zeros. It has no branch, because the processor cannot predict short
  // decimals among long ones.
  int digits_without_zeros() const {
    const uint64_t in_last = last ^ kEightZeros, in_next = next ^ kEightZeros;
    const bool none_in_last = in_last == 0, none_at_all = none_in_last & (in_next == 0);
    const uint64_t looked_at = in_last | (in_next & schubfach::mask(none_in_last));
    return 17 - std::countl_zero(looked_at | 1) / 8 - 8 * none_in_last - none_at_all;
  }
  static uint64_t eight(uint32_t value) {
    static_assert(std::endian::native == std::endian::little, "the first character is the lowest byte");
    uint32_t high, low;
    std::memcpy(&high, &kFourDigits[value / 10000], 4);
    std::memcpy(&low, &kFourDigits[value % 10000], 4);
    return high | uint64_t{low} << 32;
  }
  void put(char* out) const {
    *out = first;
    put_rest(out + 1, next, last);
  }
  static void put_rest(char* out, uint64_t next, uint64_t last) {
    std::memcpy(out, &next, 8);
    std::memcpy(out + 8, &last, 8);
  }
};

template <int kMax>
char* put_scientific(char* out, const DigitText<kMax>& digits) {
  digits.put(out + 1);
  out[0] = digits.first;
  out[1] = '.';
  out += digits.count > 1 ? digits.count + 1 : 1;
  *out++ = 'e';
  *out++ = digits.exponent < 0 ? '-' : '+';
  const uint32_t size = static_cast<uint32_t>(std::abs(digits.exponent));
  if (size < 10) *out++ = '0';
  return put_digits(out, size);
}

template <int kMax>
char* put_digit_text(char* out, const DigitText<kMax>& digits) {
  const int exponent = digits.exponent;
  if (exponent < kLeastFixed || exponent >= kLeastScientific) return put_scientific(out, digits);
  if (digits.count <= exponent + 1) {
    digits.put(out);
    return out + exponent + 1;
  }
  // 0.000DIGITS or DIG.ITS: the processor cannot predict whether a number is below 1, so both use the same
  // code.
  const bool below_one = exponent < 0;
  std::memcpy(out, "0.000000", 8);
  char* start = out + (below_one ? 1 - exponent : 0);
  digits.put(start);
  const int whole = below_one ? 0 : exponent;  // digits between the first and the point
  const auto fraction = (Uint128{digits.last} << 64 | digits.next) >> (8 * whole);
  digits.put_rest(start + 1 + whole + !below_one, static_cast<uint64_t>(fraction),
                  static_cast<uint64_t>(fraction >> 64));
  *(below_one ? out + 1 : start + 1 + whole) = '.';
  return start + digits.count + !below_one;
}

template <int kMax>
char* put_decimal(char* out, Decimal value) {
  return put_digit_text(out, DigitText<kMax>(value));
}

template <int kMax>
size_t decimal_length(Decimal value) {
  const int digits = digit_count_near<kMax>(value.digits);
  const int count = digits - trailing_zeros(value.digits);
  const int exponent = value.exponent + digits - 1;
  if (exponent < kLeastFixed || exponent >= kLeastScientific)
    return static_cast<size_t>(count + (count > 1) + 4 + (exponent <= -100 || exponent >= 100));
  const int below_one = -(exponent < 0);
  const int above_one = std::max(count + (count > exponent + 1), exponent + 1);
  return static_cast<size_t>(above_one + ((1 - exponent + count - above_one) & below_one));
}

}  // namespace plainfs
