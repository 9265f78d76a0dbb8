// Numbers and texts as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/core/text/markup.h"
#include "formats/core/text/printable.h"

namespace plainfs {

// Returns "60,000".
inline std::string count_text(uint64_t count) {
  std::string text = std::to_string(count);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

// Returns "1 file", "60,000 files", "2 sparse matrices", "3 time series".
inline std::string count_text(uint64_t count, std::string_view what) {
  std::string text = count_text(count).append(" ").append(what);
  if (count == 1 || what.ends_with('s')) return text;
  if (!what.ends_with("matrix")) return text + "s";
  text.pop_back();
  return text + "ces";
}

// Returns a fraction as "12 %"; one that is neither 0 nor 1 is not rounded to these.
inline std::string share_text(double fraction) {
  if (fraction > 0 && fraction < 0.005) return "< 1 %";
  if (fraction < 1 && fraction >= 0.995) return "> 99 %";
  return std::to_string(static_cast<int>(100 * fraction + 0.5)) + " %";
}

// Returns at most `most` bytes of the text, cut between UTF-8 characters.
inline std::string shortened(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

// Returns a text of a store, or at most `most` bytes of it, as HTML.
inline std::string shown_text(std::string_view text, size_t most = SIZE_MAX) {
  return escaped(printable(shortened(text, most)));
}

}  // namespace plainfs
