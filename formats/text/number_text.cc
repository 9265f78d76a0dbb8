#include "formats/text/number_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "formats/text/digits.h"
#include "formats/text/shortest_decimal.h"

namespace plainfs {

namespace {

char* put_text(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

// The parts of an IEEE 754 number.
template <class Bits, int kFractionBits, int kExponentBits>
struct Layout {
  static constexpr Bits kFractionMask = (Bits{1} << kFractionBits) - 1;
  static constexpr Bits kExponentMask = (Bits{1} << kExponentBits) - 1;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1 + kFractionBits;

  static bool negative(Bits bits) { return bits >> (kFractionBits + kExponentBits) != 0; }
  static bool finite(Bits bits) { return (bits >> kFractionBits & kExponentMask) != kExponentMask; }
  static bool nan(Bits bits) { return !finite(bits) && (bits & kFractionMask) != 0; }
  static Binary binary(Bits bits) {
    const Bits fraction = bits & kFractionMask;
    const int exponent = static_cast<int>(bits >> kFractionBits & kExponentMask);
    if (exponent == 0) return {fraction, 1 - kBias, false};
    return {uint64_t{fraction} | uint64_t{1} << kFractionBits, exponent - kBias,
            fraction == 0 && exponent > 1};
  }
};
using Layout64 = Layout<uint64_t, 52, 11>;
using Layout32 = Layout<uint32_t, 23, 8>;
using Layout16 = Layout<uint32_t, 10, 5>;

// Python's repr: scientific where the decimal exponent is below -4 or 16 and more.
constexpr int kLeastFixed = -4;
constexpr int kLeastScientific = 16;

// The inverse of an odd number modulo 2^64.
constexpr uint64_t inverse_of(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

// Divides value by 10^kZeros where that leaves no remainder; returns whether it did. Without a branch.
template <int kZeros>
bool strip_zeros(uint64_t& value) {
  constexpr uint64_t kInverse = inverse_of(kPowersOfTen[kZeros] >> kZeros);
  const uint64_t quotient = std::rotr(value * kInverse, kZeros);
  const bool whole = quotient <= UINT64_MAX / kPowersOfTen[kZeros];
  value ^= (value ^ quotient) & schubfach::mask(whole);
  return whole;
}

// How many zeros the digits of value end in. Most have none or one, and which of them nobody can foretell.
// Requires: value > 0.
int trailing_zeros(uint64_t value) {
  int zeros = strip_zeros<1>(value);
  while (value % 10 == 0) {
    value /= 10;
    ++zeros;
  }
  return zeros;
}

// Of a number that mostly has one of its kMost digits or up to two less.
template <int kMost>
int digit_count_near(uint64_t value) {
  if (value < kPowersOfTen[kMost - 3]) return static_cast<int>(digit_count(value));
  return kMost - 2 + (value >= kPowersOfTen[kMost - 2]) + (value >= kPowersOfTen[kMost - 1]);
}

// The digits of a decimal as text, scaled to kMost of them, in registers: they are put in their places
// without being read back from memory, where a load that spans earlier stores would wait for them.
template <int kMost>  // 17 for a double, 9 for a float32
struct DigitText {
  char first;
  uint64_t next, last;  // eight characters each, the first in the lowest byte
  int count;            // digits without trailing zeros
  int exponent;         // of the first digit

  explicit DigitText(Decimal value) {
    constexpr uint64_t kZeros = 0x3030303030303030;
    const int digits = digit_count_near<kMost>(value.digits);
    const uint64_t scaled = value.digits * kPowersOfTen[static_cast<size_t>(kMost - digits)];
    const uint64_t rest = scaled % kPowersOfTen[kMost - 1];
    first = static_cast<char>('0' + scaled / kPowersOfTen[kMost - 1]);
    next = eight(static_cast<uint32_t>(kMost == 17 ? rest / 100000000 : rest));
    last = kMost == 17 ? eight(static_cast<uint32_t>(rest % 100000000)) : kZeros;
    const int zeros = last != kZeros   ? std::countl_zero(last ^ kZeros) / 8
                      : next != kZeros ? 8 + std::countl_zero(next ^ kZeros) / 8
                                       : 16;
    count = 17 - zeros;
    exponent = value.exponent + digits - 1;
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

template <int kMost>
char* put_scientific(char* out, const DigitText<kMost>& digits) {
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

template <int kMost>
char* put_decimal(char* out, Decimal value) {
  const DigitText<kMost> digits(value);
  const int exponent = digits.exponent;
  if (exponent < kLeastFixed || exponent >= kLeastScientific) return put_scientific(out, digits);
  if (digits.count <= exponent + 1) {
    digits.put(out);
    return out + exponent + 1;
  }
  // 0.000DIGITS or DIG.ITS: whether a number is below 1 is nothing a processor can foretell, so both go the
  // same way.
  const bool below_one = exponent < 0;
  std::memcpy(out, "0.000000", 8);
  char* start = out + (below_one ? 1 - exponent : 0);
  digits.put(start);
  const int whole = below_one ? 0 : exponent;  // digits between the first and the point
  const auto fraction = (schubfach::Wide{digits.last} << 64 | digits.next) >> (8 * whole);
  digits.put_rest(start + 1 + whole + !below_one, static_cast<uint64_t>(fraction),
                  static_cast<uint64_t>(fraction >> 64));
  *(below_one ? out + 1 : start + 1 + whole) = '.';
  return start + digits.count + !below_one;
}

template <int kMost>
size_t decimal_length(Decimal value) {
  const int digits = digit_count_near<kMost>(value.digits);
  const int count = digits - trailing_zeros(value.digits);
  const int exponent = value.exponent + digits - 1;
  if (exponent < kLeastFixed || exponent >= kLeastScientific)
    return static_cast<size_t>(count + (count > 1) + 4 + (exponent <= -100 || exponent >= 100));
  const int below_one = -(exponent < 0);
  const int above_one = std::max(count + (count > exponent + 1), exponent + 1);
  return static_cast<size_t>(above_one + ((1 - exponent + count - above_one) & below_one));
}

// Most numbers that people store are whole, or have few decimals. What reads back from at most 15 digits has
// no other decimal of at most 15 digits, so the first that fits is the shortest.
constexpr double kWholeEnd =
    9007199254740992.0;  // 2^53: below it every whole double is its own shortest decimal
constexpr double kShortLeast = 1e-4, kShortEnd = 1e9;

// value as a multiple of 1/10000, or 0 where it is none. Requires: kShortLeast <= value < kShortEnd.
uint64_t ten_thousandths(double value) {
  const auto multiple = static_cast<uint64_t>(static_cast<int64_t>(value * 1e4 + 0.5));
  return static_cast<double>(static_cast<int64_t>(multiple)) / 1e4 == value ? multiple : 0;
}

// Of four digits, not all of them zeros.
int trailing_zeros_of_four(uint32_t digits) {
  return (digits % 10 == 0) + (digits % 100 == 0) + (digits % 1000 == 0);
}

char* put_ten_thousandths(char* out, uint64_t multiple) {
  out = put_digits(out, multiple / 10000);
  *out++ = '.';
  const uint32_t fraction = static_cast<uint32_t>(multiple % 10000);
  return put_four_digits(out, fraction) - trailing_zeros_of_four(fraction);
}

size_t ten_thousandths_length(uint64_t multiple) {
  return digit_count(multiple / 10000) + 5 -
         static_cast<size_t>(trailing_zeros_of_four(static_cast<uint32_t>(multiple % 10000)));
}

// The same for a float32, which tells apart all decimals of 6 digits.
constexpr float kShortLeast32 = 1e-4f, kShortEnd32 = 100;
uint64_t ten_thousandths(float value) {
  const auto multiple = static_cast<int32_t>(static_cast<double>(value) * 1e4 + 0.5);
  return static_cast<float>(multiple / 1e4) == value ? static_cast<uint64_t>(multiple) : 0;
}

template <class L, class Bits>
char* put_special(char* out, Bits bits) {
  if (L::nan(bits)) return put_text(out, "NaN");
  return put_text(out, L::negative(bits) ? "-Inf" : "Inf");
}

template <class L, class Bits>
size_t special_length(Bits bits) {
  return L::nan(bits) || !L::negative(bits) ? 3 : 4;
}

template <class L, class Bits>
char* put_small_real(char* out, Bits bits) {
  if (!L::finite(bits)) return put_special<L>(out, bits);
  *out = '-';
  out += L::negative(bits);
  const Binary value = L::binary(bits);
  if (value.significand == 0) {
    *out++ = '0';
    return out;
  }
  return put_decimal<9>(out, shortest_decimal_32(value));
}

template <class L, class Bits>
size_t small_real_length(Bits bits) {
  if (!L::finite(bits)) return special_length<L>(bits);
  const Binary value = L::binary(bits);
  return L::negative(bits) + (value.significand == 0 ? 1 : decimal_length<9>(shortest_decimal_32(value)));
}

// |value| as a whole number where it is one of fewer digits than the type resolves, else the largest
// uint32_t.
constexpr uint32_t kNotWhole = UINT32_MAX;
uint32_t small_whole(float value) {
  const float size = std::fabs(value);
  if (!(size < 16777216.0f)) return kNotWhole;  // 2^24
  const auto whole = static_cast<uint32_t>(static_cast<int32_t>(size));
  return static_cast<float>(static_cast<int32_t>(whole)) == size ? whole : kNotWhole;
}

}  // namespace

char* write_number(char* out, uint64_t value) {
  return put_digits(out, value);
}

char* write_number(char* out, int64_t value) {
  if (value < 0) *out++ = '-';
  return put_digits(out, value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
}

char* write_number(char* out, uint32_t value) {
  return put_digits(out, value);
}

char* write_number(char* out, int32_t value) {
  if (value < 0) *out++ = '-';
  return put_digits(out, value < 0 ? -static_cast<uint32_t>(value) : static_cast<uint32_t>(value));
}

char* write_number(char* out, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  if (!Layout64::finite(bits)) return put_special<Layout64>(out, bits);
  *out = '-';
  out += Layout64::negative(bits);
  const double size = std::fabs(value);
  if (size < kWholeEnd) {
    const auto whole = static_cast<int64_t>(size);
    if (static_cast<double>(whole) == size) return put_digits(out, static_cast<uint64_t>(whole));
    if (size >= kShortLeast && size < kShortEnd)
      if (const uint64_t multiple = ten_thousandths(size)) return put_ten_thousandths(out, multiple);
  }
  return put_decimal<17>(out, shortest_decimal_64(Layout64::binary(bits)));
}

char* write_number(char* out, float value) {
  const uint32_t whole = small_whole(value);
  const auto bits = std::bit_cast<uint32_t>(value);
  *out = '-';
  if (whole != kNotWhole) return put_digits(out + Layout32::negative(bits), whole);
  if (const float size = std::fabs(value); size >= kShortLeast32 && size < kShortEnd32)
    if (const uint64_t multiple = ten_thousandths(size))
      return put_ten_thousandths(out + Layout32::negative(bits), multiple);
  return put_small_real<Layout32>(out, bits);
}

char* write_number(char* out, Half value) {
  return put_small_real<Layout16>(out, uint32_t{value.bits});
}

size_t number_length(uint64_t value) {
  return digit_count(value);
}

size_t number_length(int64_t value) {
  return value < 0 ? 1 + digit_count(-static_cast<uint64_t>(value))
                   : digit_count(static_cast<uint64_t>(value));
}

size_t number_length(uint32_t value) {
  return digit_count(value);
}

size_t number_length(int32_t value) {
  return value < 0 ? 1 + digit_count(-static_cast<uint32_t>(value))
                   : digit_count(static_cast<uint32_t>(value));
}

size_t number_length(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  if (!Layout64::finite(bits)) return special_length<Layout64>(bits);
  const size_t sign = Layout64::negative(bits);
  const double size = std::fabs(value);
  if (size < kWholeEnd) {
    const auto whole = static_cast<int64_t>(size);
    if (static_cast<double>(whole) == size) return sign + digit_count(static_cast<uint64_t>(whole));
    if (size >= kShortLeast && size < kShortEnd)
      if (const uint64_t multiple = ten_thousandths(size)) return sign + ten_thousandths_length(multiple);
  }
  return sign + decimal_length<17>(shortest_decimal_64(Layout64::binary(bits)));
}

size_t number_length(float value) {
  const uint32_t whole = small_whole(value);
  const auto bits = std::bit_cast<uint32_t>(value);
  if (whole != kNotWhole) return Layout32::negative(bits) + digit_count(whole);
  if (const float size = std::fabs(value); size >= kShortLeast32 && size < kShortEnd32)
    if (const uint64_t multiple = ten_thousandths(size))
      return Layout32::negative(bits) + ten_thousandths_length(multiple);
  return small_real_length<Layout32>(bits);
}

size_t number_length(Half value) {
  return small_real_length<Layout16>(uint32_t{value.bits});
}

}  // namespace plainfs
