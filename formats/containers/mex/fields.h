// The fields of a line of text: words between blanks and tabs, and numbers.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace plainfs::mex {

inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Returns line without the carriage return at its end.
inline std::string_view without_line_end(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Takes the next word from line, which keeps the rest. Returns an empty word at its end.
inline std::string_view next_field(std::string_view& line) {
  size_t first = 0;
  while (first < line.size() && is_blank(line[first])) ++first;
  size_t end = first;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view field = line.substr(first, end - first);
  line.remove_prefix(end);
  return field;
}

// Reads all of field as a number without a sign. Returns false for any other field, and for a
// number of over 64 bits.
inline bool read_count(std::string_view field, uint64_t& value) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && end == field.data() + field.size();
}

}  // namespace plainfs::mex
