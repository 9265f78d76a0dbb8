// Removes the white space around a line or field of a header or a settings file.
#pragma once

#include <string_view>

namespace plainfs {

inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  const size_t first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

}  // namespace plainfs
