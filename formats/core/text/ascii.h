// Lower case of ASCII, independent of the locale. Other bytes stay.
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

// Returns whether `text` begins with one of `words`, in any case. words: in small letters.
inline bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin(),
                                                    [](char a, char b) { return a == lower_case(b); });
  });
}

}  // namespace plainfs
