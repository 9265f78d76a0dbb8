// Runs of numbers as text, formatted as in number_text.h. Doubles take a fraction of the time if the
// processor can work on eight of them at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "formats/core/text/number_text.h"

namespace plainfs {

// Returns the total number_length of all values.
uint64_t number_lengths(std::span<const double> values);
template <class T>
uint64_t number_lengths(std::span<const T> values) {
  uint64_t sum = 0;
  for (const T value : values) sum += number_length(value);
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
