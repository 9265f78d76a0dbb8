// Decimal digits of integers, for loops in which a call per number would cost too much. number_text.h is the
// interface for everything else.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace plainfs {

// The four digits of 0 to 9999, leading zeros included.
inline constexpr auto kFourDigits = [] {
  std::array<std::array<char, 4>, 10000> table{};
  for (int i = 0; i < 10000; ++i)
    table[i] = {static_cast<char>('0' + i / 1000), static_cast<char>('0' + i / 100 % 10),
                static_cast<char>('0' + i / 10 % 10), static_cast<char>('0' + i % 10)};
  return table;
}();

inline constexpr std::array<uint64_t, 20> kPowersOfTen = [] {
  std::array<uint64_t, 20> table{};
  uint64_t power = 1;
  for (uint64_t& entry : table) {
    entry = power;
    power *= 10;
  }
  return table;
}();

// Returns the number of decimal digits of a value; 1 for 0.
inline unsigned digit_count(uint32_t value) {
  // Entry b is for values with b + 1 bits: adding the value to it carries into the upper half exactly if the
  // value has one digit more than 2^b.
  static constexpr auto kTable = [] {
    std::array<uint64_t, 32> table{};
    for (int bit = 0; bit < 32; ++bit) {
      const uint64_t least = uint64_t{1} << bit, most = 2 * least - 1;
      uint64_t digits = 1;
      while (kPowersOfTen[digits] <= least) ++digits;
      const uint64_t next = kPowersOfTen[digits];  // the first value with digits + 1 digits
      table[bit] = next <= most ? ((digits + 1) << 32) - next : digits << 32;
    }
    return table;
  }();
  return static_cast<unsigned>((value + kTable[std::bit_width(value | 1) - 1]) >> 32);
}

inline unsigned digit_count(uint64_t value) {
  const unsigned guess =
      static_cast<unsigned>(std::bit_width(value | 1)) * 1233 >> 12;  // 1233 / 4096 ~ log10(2)
  return guess + ((value | 1) >= kPowersOfTen[guess]);
}

// Returns the number of decimal digits of the integers of [first, end) together. Requires: first > 0.
inline uint64_t digits_of_range(uint64_t first, uint64_t end) {
  uint64_t digits = 0;
  for (const uint64_t power : kPowersOfTen) {  // each integer from a power on has a digit more
    if (power >= end) break;
    digits += end - std::max(first, power);
  }
  return first < end ? digits : 0;
}

// The three digits of 0 to 999, leading zeros included. A fourth byte follows, so that an entry is one move.
inline constexpr auto kThreeDigits = [] {
  std::array<std::array<char, 4>, 1000> table{};
  for (size_t i = 0; i < table.size(); ++i)
    for (size_t d = 0; d < 3; ++d) table[i][d] = kFourDigits[i][d + 1];
  return table;
}();

// The digits of 0 to 999 without leading zeros; the fourth byte is their number.
inline constexpr auto kLeadingDigits = [] {
  std::array<std::array<char, 4>, 1000> table{};
  for (size_t i = 0; i < table.size(); ++i) {
    const size_t count = i < 10 ? 1 : i < 100 ? 2 : 3;
    for (size_t d = 0; d < count; ++d) table[i][d] = kThreeDigits[i][3 - count + d];
    table[i][3] = static_cast<char>(count);
  }
  return table;
}();

inline char* put_four_digits(char* out, uint32_t value) {
  std::memcpy(out, &kFourDigits[value], 4);
  return out + 4;
}

// Write three digits, or up to three without leading zeros. Both write 4 bytes; those after the returned end
// are unspecified.
inline char* put_three_digits(char* out, uint32_t value) {
  std::memcpy(out, &kThreeDigits[value], 4);
  return out + 3;
}

inline char* put_leading_digits(char* out, uint32_t value) {
  std::memcpy(out, &kLeadingDigits[value], 4);
  return out + kLeadingDigits[value][3];
}

inline char* put_nine_digits(char* out, uint32_t value) {
  out = put_three_digits(out, value / 1000000);
  return put_three_digits(put_three_digits(out, value / 1000 % 1000), value % 1000);
}

// Writes the decimal digits of `value`. Up to 3 bytes after the returned end may be overwritten.
inline char* put_digits(char* out, uint32_t value) {
  if (value < 1000) return put_leading_digits(out, value);
  if (value < 1000000) return put_three_digits(put_leading_digits(out, value / 1000), value % 1000);
  if (value >= 1000000000)
    return put_nine_digits(put_leading_digits(out, value / 1000000000), value % 1000000000);
  out = put_leading_digits(out, value / 1000000);
  return put_three_digits(put_three_digits(out, value / 1000 % 1000), value % 1000);
}

inline char* put_digits(char* out, uint64_t value) {
  constexpr uint64_t kNine = 1000000000;
  if (value < kNine) return put_digits(out, static_cast<uint32_t>(value));
  const uint64_t high = value / kNine;
  out = high < kNine ? put_digits(out, static_cast<uint32_t>(high))
                     : put_nine_digits(put_leading_digits(out, static_cast<uint32_t>(high / kNine)),
                                       static_cast<uint32_t>(high % kNine));
  return put_nine_digits(out, static_cast<uint32_t>(value % kNine));
}

}  // namespace plainfs
