// The loops below have neither branches nor calls, so that the compiler vectorises them as far as the
// processor allows. They perform the steps of shortest() in shortest_decimal.h on pieces of a run.
// number_text.h handles numbers that need more exact arithmetic, zeros, powers of two and values that are not
// finite.
#include "formats/core/text/number_runs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "formats/core/text/decimal_text.h"

namespace plainfs {

namespace {

constexpr size_t kPiece = 128;

// The shortest decimals of a piece.
struct Decimals {
  uint64_t digits[kPiece];       // 16 or 17 of them; trailing zeros if has_shorter
  int64_t power[kPiece];         // digits * 10^power
  uint64_t has_shorter[kPiece];  // 1: the last digit is a zero
  uint64_t is_other[kPiece];     // 1: number_text.h must handle it
};

[[gnu::always_inline]] inline int64_t exponent_of(double value) {
  return static_cast<int64_t>(std::bit_cast<uint64_t>(value) >> 52 & 2047) - 1075;
}

[[gnu::always_inline]] inline uint64_t high_half(uint64_t a, uint64_t b) {
  const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const uint64_t cross = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (cross & 0xffffffff);
  return a1 * b1 + (cross >> 32) + (other >> 32);
}

// Returns value / 10.
[[gnu::always_inline]] inline uint64_t tenth(uint64_t value) {
  return high_half(value, 0xcccccccccccccccd) >> 3;
}

[[gnu::always_inline]] inline void find_decimals(std::span<const double> values, Decimals& found) {
  constexpr uint64_t kOne = uint64_t{1} << 60, kFraction = (uint64_t{1} << 52) - 1;
  constexpr uint64_t kError = uint64_t{1} << schubfach::LongPower::kErrorBits;
  uint32_t places[kPiece];
  uint64_t high[kPiece], low[kPiece];
  for (size_t i = 0; i < values.size(); ++i) {
    const int32_t place = -((static_cast<int32_t>(exponent_of(values[i])) * 1262611) >> 22) - kLeastPower;
    places[i] = static_cast<uint32_t>(std::max(place, 0));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    high[i] = kBinaryPowersOfTen[places[i]].high;
    low[i] = kBinaryPowersOfTen[places[i]].low;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t bits = std::bit_cast<uint64_t>(values[i]), fraction = bits & kFraction;
    const int64_t exponent = exponent_of(values[i]);
    const bool is_special = (fraction == 0) | (exponent == -1075) | (exponent == 2047 - 1075);
    const int64_t power = (exponent * 1262611) >> 22;
    const int64_t shift = exponent + ((-power * 1741647) >> 19) + 1;
    const uint64_t significand = (fraction | (kFraction + 1)) << (shift & 7);
    const uint64_t middle = high[i] * significand, sum = middle + high_half(low[i], significand);
    const uint64_t whole = high_half(high[i], significand) + (sum < middle ? 1 : 0);
    const uint64_t tens = tenth(whole) * 10;
    const uint64_t ones_over = sum >> 4, over = ((whole - tens) << 60) + ones_over;
    const uint64_t half_width = high[i] >> ((5 - shift) & 63);
    const uint64_t above = 10 * kOne - over, distance = over < above ? over : above;
    const bool is_close =
        (distance - half_width + kError <= 2 * kError) | (ones_over - kOne / 2 + kError <= 2 * kError);
    const bool is_inside = distance < half_width;
    const uint64_t ten = tens + (over > 5 * kOne ? 10 : 0), one = whole + (ones_over > kOne / 2 ? 1 : 0);
    found.digits[i] = is_inside ? ten : one;
    found.power[i] = power;
    found.has_shorter[i] = is_inside ? 1 : 0;
    found.is_other[i] = (is_special | is_close) ? 1 : 0;
  }
}

template <int kZeros>
[[gnu::always_inline]] inline int64_t strip_zeros_of(uint64_t& value) {
  constexpr uint64_t kInverse = inverse_of(kPowersOfTen[kZeros] >> kZeros);
  const uint64_t product = value * kInverse, quotient = product >> kZeros | product << (64 - kZeros);
  const bool is_whole = quotient <= UINT64_MAX / kPowersOfTen[kZeros];
  value = is_whole ? quotient : value;
  return is_whole ? kZeros : 0;
}

[[gnu::always_inline]] inline int64_t has_17_digits(uint64_t digits) {
  return digits >= kPowersOfTen[16] ? 1 : 0;
}

// Returns the total length of the numbers that are not is_other.
[[gnu::always_inline]] inline uint64_t length_of_piece(std::span<const double> values, Decimals& found) {
  find_decimals(values, found);
  uint64_t sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t digits = 16 + has_17_digits(found.digits[i]);
    uint64_t rest = found.has_shorter[i] ? found.digits[i] : 1;
    int64_t zeros = strip_zeros_of<8>(rest);
    zeros += strip_zeros_of<4>(rest);
    zeros += strip_zeros_of<2>(rest);
    zeros += strip_zeros_of<1>(rest);
    zeros += strip_zeros_of<1>(rest);
    const int64_t count = digits - zeros, exponent = found.power[i] + digits - 1;
    const int64_t scientific =
        count + (count > 1 ? 1 : 0) + 4 + (((exponent <= -100) | (exponent >= 100)) ? 1 : 0);
    const int64_t with_point = count + (count > exponent + 1 ? 1 : 0);
    const int64_t above_one = with_point > exponent + 1 ? with_point : exponent + 1;
    const int64_t fixed = exponent < 0 ? 1 - exponent + count : above_one;
    const int64_t size = ((exponent < kLeastFixed) | (exponent >= kLeastScientific)) ? scientific : fixed;
    const int64_t sign = static_cast<int64_t>(std::bit_cast<uint64_t>(values[i]) >> 63);
    sum += found.is_other[i] ? 0 : static_cast<uint64_t>(size + sign);
  }
  return sum;
}

// The digits of a piece as text, in the form of DigitText.
struct Digits {
  uint64_t first[kPiece], next[kPiece], last[kPiece];
  int64_t exponent[kPiece];
};

// Returns DigitText::eight() of a number below 10^8, computed in lanes that are halved three times.
[[gnu::always_inline]] inline uint64_t eight_digits(uint64_t value) {
  const uint64_t high = (value & 0xffffffff) * 3518437209 >> 45;  // / 10000
  const uint64_t fours = high + ((value - high * 10000) << 32);
  const uint64_t hundreds = (fours * 10486 >> 20) & 0x7f0000007f;  // 10486 / 2^20 ~ 1 / 100
  const uint64_t twos = hundreds + ((fours - 100 * hundreds) << 16);
  const uint64_t tens = (twos * 103 >> 10) & 0xf000f000f000f;  // 103 / 2^10 ~ 1 / 10
  return kEightZeros + tens + ((twos - 10 * tens) << 8);
}

[[gnu::always_inline]] inline void make_digits(std::span<const double> values, Decimals& found,
                                               Digits& generated) {
  find_decimals(values, found);
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t is_long = has_17_digits(found.digits[i]);
    const uint64_t digits = is_long ? found.digits[i] : found.digits[i] * 10;
    const uint64_t upper = high_half(digits, 0xabcc77118461cefd) >> 26;  // / 10^8
    const uint64_t first = (upper * 1441151881) >> 57;                   // / 10^8, for a number below 10^9
    generated.first[i] = first;
    generated.next[i] = eight_digits(upper - first * 100000000);
    generated.last[i] = eight_digits(digits - upper * 100000000);
    generated.exponent[i] = found.power[i] + 15 + is_long;
  }
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq,avx512vl"))) uint64_t length_at_once(std::span<const double> values,
                                                                             Decimals& found) {
  return length_of_piece(values, found);
}
__attribute__((target("avx512f,avx512dq,avx512vl"))) void digits_at_once(std::span<const double> values,
                                                                         Decimals& found, Digits& generated) {
  make_digits(values, found, generated);
}
bool has_eight_at_once() {
  return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
uint64_t length_at_once(std::span<const double> values, Decimals& found) {
  return length_of_piece(values, found);
}
void digits_at_once(std::span<const double> values, Decimals& found, Digits& generated) {
  make_digits(values, found, generated);
}
bool has_eight_at_once() {
  return false;
}
#endif

// Returns whether number_text.h is faster because most numbers are integers or have few decimals. Samples
// enough numbers to reject runs with a third of such numbers, for example times counted in samples.
bool are_mostly_simple(std::span<const double> values) {
  constexpr size_t kLooks = 16;
  size_t simple = 0;
  for (size_t i = 0; i < kLooks; ++i) {
    const double scaled = values[i * values.size() / kLooks] * 1e4;
    simple +=
        !(scaled > -1e15 && scaled < 1e15) || static_cast<double>(static_cast<int64_t>(scaled)) == scaled;
  }
  return simple > kLooks * 3 / 4;
}

// Calls at_once or one_by_one for pieces of values.
template <class AtOnce, class OneByOne>
void for_pieces(std::span<const double> values, AtOnce at_once, OneByOne one_by_one) {
  constexpr size_t kFew = 16;
  const bool can = has_eight_at_once();
  for (; !values.empty(); values = values.subspan(std::min(kPiece, values.size()))) {
    const auto piece = values.first(std::min(kPiece, values.size()));
    if (can && piece.size() >= kFew && !are_mostly_simple(piece))
      at_once(piece);
    else
      one_by_one(piece);
  }
}

// The integers that reals are stored for, in a piece: their size below kEnd, 0 for every other number.
template <class Real>
struct WholeParts {
  // float32 has no decimals from 2^24 on, where integers have no longer all their digits. Sizes of doubles
  // fit in an int32_t.
  static constexpr Real kEnd = sizeof(Real) == 8 ? Real{1u << 31} : Real{1 << 24};

  uint32_t sizes[kPiece];
  OneAsWide<Real> is_other[kPiece];
  uint32_t others = 0;
  uint32_t negative = 0;  // also -0 and NaN with a sign
};

template <class Real>
[[gnu::always_inline]] inline void find_whole_parts_plainly(std::span<const Real> values,
                                                            WholeParts<Real>& found) {
  // The bits of non-negative numbers increase with their values.
  using Bits = OneAsWide<Real>;
  constexpr Bits kSign = Bits{1} << (sizeof(Real) * 8 - 1);
  constexpr Bits kEnd = std::bit_cast<Bits>(WholeParts<Real>::kEnd);
  Bits others = 0, negative = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const Bits stored = std::bit_cast<Bits>(values[i]), size = stored & ~kSign;
    const Bits bits = size & (Bits{0} - Bits{size < kEnd});  // no branch
    const auto whole = static_cast<int32_t>(std::bit_cast<Real>(bits));
    const Bits is_other = std::bit_cast<Bits>(static_cast<Real>(whole)) != size;
    found.sizes[i] = static_cast<uint32_t>(whole) & (static_cast<uint32_t>(is_other) - 1);
    found.is_other[i] = is_other;
    others += is_other;
    negative += stored >> (sizeof(Real) * 8 - 1);
  }
  found.others = static_cast<uint32_t>(others);
  found.negative = static_cast<uint32_t>(negative);
}

#if defined(__x86_64__)
template <class Real>
__attribute__((target("avx2"))) void find_whole_parts_by_avx2(std::span<const Real> values,
                                                              WholeParts<Real>& found) {
  find_whole_parts_plainly(values, found);
}
#endif

template <class Real>
void find_whole_parts(std::span<const Real> values, WholeParts<Real>& found) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return find_whole_parts_by_avx2(values, found);
#endif
  find_whole_parts_plainly(values, found);
}

// Returns whether one of a few numbers of a piece is an integer.
bool has_whole(std::span<const float> values) {
  constexpr size_t kLooks = 8;
  for (size_t i = 0; i < kLooks; ++i) {
    const float value = values[i * values.size() / kLooks];
    if (value == std::trunc(value)) return true;
  }
  return false;
}

// Returns the total length of a piece in which most numbers may be integers.
template <class Real>
uint64_t length_of_whole(std::span<const Real> values, WholeParts<Real>& found) {
  find_whole_parts(values, found);
  const std::span<const uint32_t> sizes(found.sizes, values.size());
  uint64_t sum = values.size() + found.negative + digits_beyond_first(sizes, largest(sizes));
  if (found.others == 0) return sum;
  for (size_t i = 0; i < values.size(); ++i)
    if (found.is_other[i]) sum += number_length(values[i]) - 1 - (std::signbit(values[i]) ? 1 : 0);
  return sum;
}

}  // namespace

uint64_t number_lengths(std::span<const float> values) {
  uint64_t sum = 0;
  WholeParts<float> found;
  for (; !values.empty(); values = values.subspan(std::min(kPiece, values.size()))) {
    const auto piece = values.first(std::min(kPiece, values.size()));
    if (has_whole(piece)) {
      sum += length_of_whole(piece, found);
    } else {
      for (const float value : piece) sum += number_length(value);
    }
  }
  return sum;
}

uint64_t number_lengths(std::span<const Half> values) {
  uint64_t sum = 0;
  for (const Half value : values) sum += number_length(value);
  return sum;
}

uint64_t number_lengths(std::span<const double> values) {
  uint64_t sum = 0;
  Decimals found;
  WholeParts<double> whole;
  const auto at_once = [&](std::span<const double> piece) {
    sum += length_at_once(piece, found);
    for (size_t i = 0; i < piece.size(); ++i)
      if (found.is_other[i]) sum += number_length(piece[i]);
  };
  for_pieces(values, at_once, [&](auto piece) { sum += length_of_whole(piece, whole); });
  return sum;
}

char* write_numbers(char* out, std::span<const double> values, std::string_view before) {
  constexpr size_t kShort = 8;
  char padded[kShort] = {};
  const bool is_short = before.size() <= kShort;
  if (is_short) std::copy(before.begin(), before.end(), padded);
  Decimals found;
  Digits generated;
  const auto at_once = [&](std::span<const double> piece) {
    digits_at_once(piece, found, generated);
    for (size_t i = 0; i < piece.size(); ++i) {
      if (is_short)
        std::memcpy(out, padded, kShort);
      else
        std::memcpy(out, before.data(), before.size());
      out += before.size();
      if (found.is_other[i]) {
        out = write_number(out, piece[i]);
        continue;
      }
      *out = '-';
      out += std::bit_cast<uint64_t>(piece[i]) >> 63;
      out = put_digit_text<17>(out, {static_cast<char>('0' + generated.first[i]), generated.next[i],
                                     generated.last[i], static_cast<int>(generated.exponent[i])});
    }
  };
  for_pieces(values, at_once, [&](auto piece) { out = write_numbers<double>(out, piece, before); });
  return out;
}

}  // namespace plainfs
