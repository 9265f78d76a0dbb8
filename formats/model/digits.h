// Decimal digits of integers, for the loops in which a call per number would cost too much. number_text.h is
// the interface for everything else.
#pragma once

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

// How many decimal digits a value has; 1 for 0.
inline unsigned digit_count(uint32_t value) {
  // Entry b, for values with b + 1 bits: adding value to it carries into the upper half exactly where the
  // value has one digit more than 2^b.
  static constexpr auto kTable = [] {
    std::array<uint64_t, 32> table{};
    for (int bit = 0; bit < 32; ++bit) {
      const uint64_t least = uint64_t{1} << bit, most = 2 * least - 1;
      uint64_t digits = 1;
      while (kPowersOfTen[digits] <= least) ++digits;
      const uint64_t next = kPowersOfTen[digits];  // the first value of digits + 1 digits
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

inline char* put_four_digits(char* out, uint32_t value) {
  std::memcpy(out, &kFourDigits[value], 4);
  return out + 4;
}

inline char* put_eight_digits(char* out, uint32_t value) {
  return put_four_digits(put_four_digits(out, value / 10000), value % 10000);
}

// 1 to 4 digits, without leading zeros. Writes 4 bytes; those after the returned end have no meaning.
inline char* put_up_to_four_digits(char* out, uint32_t value) {
  const unsigned count = 1 + (value > 9) + (value > 99) + (value > 999);
  uint32_t digits;
  std::memcpy(&digits, &kFourDigits[value], 4);
  if constexpr (std::endian::native == std::endian::little)
    digits >>= 8 * (4 - count);
  else
    digits <<= 8 * (4 - count);
  std::memcpy(out, &digits, 4);
  return out + count;
}

// The decimal digits of value; up to 3 bytes after the returned end may be overwritten.
inline char* put_digits(char* out, uint32_t value) {
  if (value < 10000) return put_up_to_four_digits(out, value);
  if (value < 100000000) return put_four_digits(put_up_to_four_digits(out, value / 10000), value % 10000);
  return put_eight_digits(put_up_to_four_digits(out, value / 100000000), value % 100000000);
}

inline char* put_digits(char* out, uint64_t value) {
  if (value < 100000000) return put_digits(out, static_cast<uint32_t>(value));
  const uint32_t low = static_cast<uint32_t>(value % 100000000);
  const uint64_t high = value / 100000000;
  if (high < 100000000) return put_eight_digits(put_digits(out, static_cast<uint32_t>(high)), low);
  out = put_up_to_four_digits(out, static_cast<uint32_t>(high / 100000000));
  return put_eight_digits(put_eight_digits(out, static_cast<uint32_t>(high % 100000000)), low);
}

}  // namespace plainfs
