#include "fs/views/xlsx/cell_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "formats/core/text/markup.h"
#include "formats/core/text/utf8.h"

namespace plainfs {

namespace {

// U+FFFE and U+FFFF, the only characters from U+0020 on that XML 1.0 excludes.
constexpr std::string_view kNotInXml[] = {"\xef\xbf\xbe", "\xef\xbf\xbf"};

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ';
}

// Returns whether the text begins with what readers take for an escape: LibreOffice accepts one to four
// digits.
bool begins_with_escape(std::string_view text) {
  if (!text.starts_with("_x")) return false;
  size_t digits = 0;
  while (digits < 4 && 2 + digits < text.size() &&
         std::isxdigit(static_cast<unsigned char>(text[2 + digits])))
    ++digits;
  return digits > 0 && text.substr(2 + digits).starts_with('_');
}

// Returns whether a character of the text changes how it is written, unless at an end.
bool is_special(char c) {
  constexpr auto kSpecial = [] {
    std::array<bool, 256> special{};
    for (size_t i = 0; i < ' '; ++i) special[i] = true;
    for (const char each : {'&', '<', '>', '_', ' '}) special[static_cast<unsigned char>(each)] = true;
    for (size_t i = 0x80; i < 0x100; ++i) special[i] = true;
    return special;
  }();
  return kSpecial[static_cast<unsigned char>(c)];
}

bool has_excluded_character(std::string_view text) {
  return std::any_of(std::begin(kNotInXml), std::end(kNotInXml),
                     [&](std::string_view each) { return text.find(each) != text.npos; });
}

void append_escaped(std::string_view text, bool is_attribute, std::string& out) {
  const auto code = [&](unsigned character) {
    fmt::format_to(std::back_inserter(out), "_x{:04X}_", character);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if (is_attribute && (c == '\n' || c == '\t')) {
      fmt::format_to(std::back_inserter(out), "&#{};", static_cast<int>(c));
    } else if (is_control(c) && c != '\n' && c != '\t') {
      code(static_cast<unsigned char>(c));
    } else if (begins_with_escape(rest)) {
      out += "_x005F_";
    } else if (rest.starts_with(kNotInXml[0]) || rest.starts_with(kNotInXml[1])) {
      code(rest.starts_with(kNotInXml[0]) ? 0xfffe : 0xffff);
      i += kNotInXml[0].size() - 1;
    } else {
      append_markup(c, is_attribute ? kMarkup : "&<>", out);
    }
  }
}

// Returns the units of UTF-16 of a text.
uint64_t utf16_length(std::string_view text) {
  uint64_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xc0) != 0x80;  // a character begins
    units += byte >= 0xf0;           // one beyond U+FFFF
  }
  return units;
}

}  // namespace

std::string column_letters(uint64_t column) {
  std::string letters;
  for (uint64_t rest = column + 1; rest > 0; rest = (rest - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  return letters;
}

bool must_be_shared(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return true;
  bool is_shared = false, is_ascii = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_special(c)) continue;
    if (c & 0x80)
      is_ascii = false;
    else if (c == ' ')
      is_shared |= text[i + 1] == ' ';  // it is not the last one
    else
      is_shared |= c != '_' || begins_with_escape(text.substr(i));
  }
  if (is_ascii) return is_shared;
  check_utf8(text);
  return is_shared || has_excluded_character(text);
}

void check_length(std::string_view text) {
  if (text.size() <= kMaxCellText) return;
  const uint64_t units = utf16_length(text);
  if (units > kMaxCellText)
    throw unsupported("a text of {} characters; a cell of Excel holds at most {}", units, kMaxCellText);
}

std::string xml_text(std::string_view text) {
  std::string out;
  append_escaped(text, false, out);
  return out;
}

std::string xml_attribute(std::string_view text) {
  std::string out;
  append_escaped(text, true, out);
  return out;
}

}  // namespace plainfs
