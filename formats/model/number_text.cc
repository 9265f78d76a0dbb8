#include "formats/model/number_text.h"

#include <bit>
#include <cstring>
#include <string_view>

#include "formats/model/digits.h"
#include "formats/model/shortest_decimal.h"

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

// digits[0 … count) of value digits * 10^(exponent - count + 1), the first not 0.
char* lay_out(char* out, const char* digits, int count, int exponent) {
  if (exponent >= kLeastFixed && exponent < kLeastScientific) {
    if (exponent < 0) {
      out = put_text(out, std::string_view("0.0000", 1 - exponent));
      std::memcpy(out, digits, 17);
      return out + count;
    }
    if (count <= exponent + 1) {
      std::memset(out, '0', 17);
      std::memcpy(out, digits, count);
      return out + exponent + 1;
    }
    std::memcpy(out, digits, 16);
    out[exponent + 1] = '.';
    std::memcpy(out + exponent + 2, digits + exponent + 1, 17);
    return out + count + 1;
  }
  *out++ = digits[0];
  if (count > 1) {
    *out++ = '.';
    std::memcpy(out, digits + 1, 16);
    out += count - 1;
  }
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  const uint32_t size = static_cast<uint32_t>(exponent < 0 ? -exponent : exponent);
  if (size < 10) *out++ = '0';
  return put_digits(out, size);
}

size_t laid_out_length(int count, int exponent) {
  if (exponent >= kLeastFixed && exponent < kLeastScientific) {
    if (exponent < 0) return static_cast<size_t>(1 - exponent + count);
    return static_cast<size_t>(count <= exponent + 1 ? exponent + 1 : count + 1);
  }
  const bool three = exponent <= -100 || exponent >= 100;
  return static_cast<size_t>(count + (count > 1) + 4 + three);
}

char* put_decimal(char* out, Decimal value) {
  char digits[40];  // read in pieces of fixed size, up to 17 bytes beyond the last digit
  char* end = put_digits(digits, value.digits);
  const int exponent = value.exponent + static_cast<int>(end - digits) - 1;
  while (end[-1] == '0') --end;
  return lay_out(out, digits, static_cast<int>(end - digits), exponent);
}

size_t decimal_length(Decimal value) {
  int count = static_cast<int>(digit_count(value.digits));
  const int exponent = value.exponent + count - 1;
  for (uint64_t rest = value.digits; rest % 10 == 0; rest /= 10) --count;
  return laid_out_length(count, exponent);
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

char* put_ten_thousandths(char* out, uint64_t multiple) {
  out = put_digits(out, multiple / 10000);
  *out++ = '.';
  out = put_four_digits(out, static_cast<uint32_t>(multiple % 10000));
  while (out[-1] == '0') --out;
  return out;
}

size_t ten_thousandths_length(uint64_t multiple) {
  const uint32_t fraction = static_cast<uint32_t>(multiple % 10000);
  const size_t zeros = (fraction % 10 == 0) + (fraction % 100 == 0) + (fraction % 1000 == 0);
  return digit_count(multiple / 10000) + 5 - zeros;
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
  if (L::negative(bits)) *out++ = '-';
  const Binary value = L::binary(bits);
  if (value.significand == 0) {
    *out++ = '0';
    return out;
  }
  return put_decimal(out, shortest_decimal_32(value));
}

template <class L, class Bits>
size_t small_real_length(Bits bits) {
  if (!L::finite(bits)) return special_length<L>(bits);
  const Binary value = L::binary(bits);
  return L::negative(bits) + (value.significand == 0 ? 1 : decimal_length(shortest_decimal_32(value)));
}

// |value| as a whole number where it is one of fewer digits than the type resolves, else the largest
// uint32_t.
constexpr uint32_t kNotWhole = UINT32_MAX;
uint32_t small_whole(float value) {
  const float size = value < 0 ? -value : value;
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
  if (Layout64::negative(bits)) *out++ = '-';
  const double size = value < 0 ? -value : value;
  if (size < kWholeEnd) {
    const auto whole = static_cast<int64_t>(size);
    if (static_cast<double>(whole) == size) return put_digits(out, static_cast<uint64_t>(whole));
    if (size >= kShortLeast && size < kShortEnd)
      if (const uint64_t multiple = ten_thousandths(size)) return put_ten_thousandths(out, multiple);
  }
  return put_decimal(out, shortest_decimal_64(Layout64::binary(bits)));
}

char* write_number(char* out, float value) {
  const uint32_t whole = small_whole(value);
  const auto bits = std::bit_cast<uint32_t>(value);
  if (whole == kNotWhole) return put_small_real<Layout32>(out, bits);
  if (Layout32::negative(bits)) *out++ = '-';
  return put_digits(out, whole);
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
  const double size = value < 0 ? -value : value;
  if (size < kWholeEnd) {
    const auto whole = static_cast<int64_t>(size);
    if (static_cast<double>(whole) == size) return sign + digit_count(static_cast<uint64_t>(whole));
    if (size >= kShortLeast && size < kShortEnd)
      if (const uint64_t multiple = ten_thousandths(size)) return sign + ten_thousandths_length(multiple);
  }
  return sign + decimal_length(shortest_decimal_64(Layout64::binary(bits)));
}

size_t number_length(float value) {
  const uint32_t whole = small_whole(value);
  const auto bits = std::bit_cast<uint32_t>(value);
  if (whole == kNotWhole) return small_real_length<Layout32>(bits);
  return Layout32::negative(bits) + digit_count(whole);
}

size_t number_length(Half value) {
  return small_real_length<Layout16>(uint32_t{value.bits});
}

}  // namespace plainfs
