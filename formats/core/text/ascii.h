// The case of letters in ASCII, independent of the locale. Other bytes stay.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace plainfs {

// Returns the small letter of a capital, and other characters unchanged.
constexpr char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

// Returns `text` with small letters.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = lower_case(c);
  return lower;
}

// Returns whether two texts are equal in any case of their letters.
inline bool is_same_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

// Returns whether `text` begins with one of `starts`, in any case.
inline bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) {
    return is_same_in_any_case(text.substr(0, start.size()), start);
  });
}

}  // namespace plainfs
