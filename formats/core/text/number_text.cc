#include "formats/core/text/number_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "formats/core/text/decimal_text.h"
#include "formats/core/text/digits.h"
#include "formats/core/text/shortest_decimal.h"

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

// Most stored numbers are integers or have few decimals. A number that reads back from at most 15 digits has
// no other decimal of at most 15 digits, so the first one that fits is the shortest.
constexpr double kWholeEnd =
    9007199254740992.0;  // 2^53: below it every integral double is its own shortest decimal
constexpr double kShortLeast = 1e-4, kShortEnd = 1e9;

// Returns `value` as a multiple of 1/10000, or 0 if it is not one. Requires: kShortLeast <= value <
// kShortEnd.
uint64_t ten_thousandths(double value) {
  const auto multiple = static_cast<uint64_t>(static_cast<int64_t>(value * 1e4 + 0.5));
  return static_cast<double>(static_cast<int64_t>(multiple)) / 1e4 == value ? multiple : 0;
}

// Returns the number of trailing zeros of four digits, not all zero.
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

// Returns the multiple of 1/10000 for a float32, which distinguishes all decimals of 6 digits.
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

// Returns |value| as an integer if it is one with fewer digits than the type resolves, else kNotWhole.
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
