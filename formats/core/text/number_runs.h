// Runs of numbers as text, formatted as in number_text.h. Doubles take a fraction of the time if the
// processor can work on eight of them at once. The lengths of integers, also of those that are stored as
// reals, are counted by comparisons with powers of ten.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "formats/core/text/digits.h"
#include "formats/core/text/number_loops.h"
#include "formats/core/text/number_text.h"

namespace plainfs {

// Returns how many more digits than one all values have together. `most`: no value is above it. Requires: the
// number of values fits in T, which is uint32_t or uint64_t.
template <class T>
uint64_t digits_beyond_first(std::span<const T> values, T most) {
  uint64_t digits = 0;
  for (size_t power = 1; power < kPowersOfTen.size() && kPowersOfTen[power] <= most; ++power)
    digits += count_at_least(values, static_cast<T>(kPowersOfTen[power]));
  return digits;
}

// Returns the total number_length of all values.
uint64_t number_lengths(std::span<const double> values);
uint64_t number_lengths(std::span<const float> values);
uint64_t number_lengths(std::span<const Half> values);
template <class T>
uint64_t number_lengths(std::span<const T> values) {
  using Size = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  constexpr size_t kAtOnce = 512;
  Size sizes[kAtOnce];
  uint64_t sum = values.size();
  for (; !values.empty(); values = values.subspan(std::min(kAtOnce, values.size()))) {
    const std::span<const Size> piece(sizes, std::min(kAtOnce, values.size()));
    sum += split_signs(values.first(piece.size()), sizes);
    sum += digits_beyond_first(piece, largest(piece));
  }
  return sum;
}

// Writes `before` and the number, for each value. Returns the end. Requires: room for kNumberTextMax +
// before.size() characters per number, and for kNumberTextMax more.
char* write_numbers(char* out, std::span<const double> values, std::string_view before);
template <class T>
char* write_numbers(char* out, std::span<const T> values, std::string_view before) {
  const bool is_character = before.size() == 1;
  for (const T value : values) {
    if (is_character)
      *out = before[0];
    else
      std::copy(before.begin(), before.end(), out);
    out = write_number(out + before.size(), value);
  }
  return out;
}

}  // namespace plainfs
