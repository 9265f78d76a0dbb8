// The fields of a line of text: words between blanks and tabs, and numbers.
#pragma once

#include <cstdint>
#include <string>
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

// Takes a field of a table from line, which keeps the rest behind the separator. A field in quotes loses
// them; scratch holds it if quotes in it are doubled. has_more: whether there was a separator behind the
// field.
inline std::string_view next_table_field(std::string_view& line, char separator, std::string& scratch,
                                         bool& has_more) {
  size_t end = 0;
  std::string_view field;
  if (line.starts_with('"')) {
    size_t quote = line.find('"', 1);
    bool is_doubled = false;
    while (quote != std::string_view::npos && line.substr(quote + 1).starts_with('"')) {
      is_doubled = true;
      quote = line.find('"', quote + 2);
    }
    field = line.substr(1, quote == std::string_view::npos ? quote : quote - 1);
    if (is_doubled) {
      scratch.clear();
      for (size_t i = 0; i < field.size(); i += 1 + (field[i] == '"')) scratch += field[i];
      field = scratch;
    }
    end = quote == std::string_view::npos ? line.size() : line.find(separator, quote);
  } else {
    end = line.find(separator);
    field = line.substr(0, end);
  }
  has_more = end < line.size();
  line.remove_prefix(has_more ? end + 1 : line.size());
  return field;
}

}  // namespace plainfs::mex
