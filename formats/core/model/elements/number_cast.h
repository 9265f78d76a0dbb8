// Conversions between stored numbers and values, and between types of numbers, for the array -> array codecs.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/base/cursor.h"
#include "formats/core/base/error.h"
#include "formats/core/model/elements/dtype.h"
#include "formats/core/model/elements/elements.h"

namespace plainfs {

template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

template <class T>
T load_stored(const std::byte* at, bool big_endian) {
  return std::bit_cast<T>(big_endian ? load_big<BitsOf<T>>(at) : load_little<BitsOf<T>>(at));
}

template <class T>
void store(T value, bool big_endian, std::byte* at) {
  auto bits = std::bit_cast<BitsOf<T>>(value);
  if (big_endian != (std::endian::native == std::endian::big)) bits = byte_swapped(bits);
  std::memcpy(at, &bits, sizeof bits);
}

// Rounds once, to nearest even. The intermediate float is rounded to odd, which preserves the deciding bits.
inline Half to_half_from_double(double value) {
  float between = static_cast<float>(value);
  if (std::isfinite(between) && static_cast<double>(between) != value &&
      (std::bit_cast<uint32_t>(between) & 1) == 0) {
    const bool too_large = std::abs(static_cast<double>(between)) > std::abs(value);
    between = std::bit_cast<float>(std::bit_cast<uint32_t>(between) + (too_large ? -1u : 1u));
  }
  return to_half(between);
}

// Returns the integer part of `value`. Throws damaged if To cannot hold it (or value is not a number): this
// is undefined in C, and numpy's astype returns what the processor happens to give.
template <class To>
To integer_part(double value) {
  constexpr double kBeyond = 2.0 * static_cast<double>(uint64_t{1} << (std::numeric_limits<To>::digits - 1));
  constexpr double kLeast = std::is_signed_v<To> ? -kBeyond : 0.0;
  const double whole = std::trunc(value);
  if (!(whole >= kLeast && whole < kBeyond))
    throw damaged("{} does not fit a {} integer of {} bytes", value,
                  std::is_signed_v<To> ? "signed" : "unsigned", sizeof(To));
  return static_cast<To>(whole);
}

// Returns `value` as a To, like a C cast (integers wrap) and numpy's astype. Throws what integer_part()
// throws.
template <class To, class From>
To number_cast(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, Half>) {
    return number_cast<To>(to_float(value));
  } else if constexpr (std::is_same_v<To, Half>) {
    if constexpr (std::is_same_v<From, double>)
      return to_half_from_double(value);
    else
      return to_half(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return integer_part<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// Appends all numbers and truth values of any type as doubles. Missing values become NaN. Requires:
// type.is_numeric().
inline void append_doubles(const DType& type, const Elements& elements, std::vector<double>& out) {
  visit_number(type, [&](auto zero) {
    const auto values = elements.values<decltype(zero)>();
    for (uint64_t i = 0; i < elements.count; ++i)
      out.push_back(elements.is_missing(i) ? std::numeric_limits<double>::quiet_NaN()
                                           : number_cast<double>(values[i]));
  });
}

}  // namespace plainfs
