// Texts in parts with a character between them.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace plainfs {

// Removes the first part of text and the separator behind it, and returns the part: all of text if there is
// no separator.
inline std::string_view take_part(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// Returns all parts, empty ones too: "a", "" and "" for "a,,". They are in text, which must outlive them.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  const auto count = std::count(text.begin(), text.end(), separator) + 1;
  while (std::cmp_less(parts.size(), count)) parts.push_back(take_part(text, separator));
  return parts;
}

}  // namespace plainfs
