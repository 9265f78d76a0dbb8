// Lower case of ASCII, independent of the locale. Other bytes stay.
#pragma once

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

}  // namespace plainfs
