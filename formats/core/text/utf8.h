// UTF-8, according to table 3-7 of the Unicode standard: no overlong forms, no surrogates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/base/error.h"

namespace plainfs {

// Returns the length of the character at the beginning of `text`; 0 if `text` is empty or begins with no
// character.
inline size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  if (text.empty()) return 0;
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!follows(1) || !follows(2)) return 0;
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;   // overlong
    if (lead == 0xed && byte(1) >= 0xa0) return 0;  // a surrogate
    return 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (lead == 0xf0 && byte(1) < 0x90) return 0;   // overlong
    if (lead == 0xf4 && byte(1) >= 0x90) return 0;  // beyond U+10FFFF
    return 4;
  }
  return 0;
}

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    uint64_t eight;
    if (text.size() >= sizeof eight) {
      std::memcpy(&eight, text.data(), sizeof eight);
      if ((eight & 0x8080808080808080) == 0) {
        text.remove_prefix(sizeof eight);
        continue;
      }
    }
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Throws damaged if `text` is not UTF-8.
inline void check_utf8(std::string_view text) {
  if (!is_utf8(text)) throw damaged("text that is not UTF-8");
}

// Returns the code points of `text`. Requires: is_utf8(text).
inline std::vector<uint32_t> code_points(std::string_view text) {
  std::vector<uint32_t> codes;
  for (size_t i = 0; i < text.size();) {
    const unsigned lead = static_cast<unsigned char>(text[i++]);
    const int more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? lead : lead & (0x3fu >> more);
    for (int k = 0; k < more && i < text.size(); ++k)
      code = code << 6 | (static_cast<unsigned char>(text[i++]) & 0x3f);
    codes.push_back(code);
  }
  return codes;
}

// Returns whether the character exists: not a surrogate, not beyond U+10FFFF.
inline bool is_code_point(uint32_t code) {
  return code < 0xd800 || (code > 0xdfff && code <= 0x10ffff);
}

// Throws damaged if the character does not exist.
inline void append_utf8(uint32_t code_point, std::string& out) {
  if (!is_code_point(code_point)) throw damaged("the character U+{:X} does not exist", code_point);
  const int more = code_point < 0x80 ? 0 : code_point < 0x800 ? 1 : code_point < 0x10000 ? 2 : 3;
  constexpr unsigned kLead[] = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(kLead[more] | code_point >> (6 * more));
  for (int k = more - 1; k >= 0; --k) out += static_cast<char>(0x80 | (code_point >> (6 * k) & 0x3f));
}

}  // namespace plainfs
