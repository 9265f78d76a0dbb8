// Unicode code points as UTF-8 (RFC 3629).
#pragma once

#include <cstdint>
#include <string>

namespace plainfs {

// Whether code can be written in UTF-8: no surrogate, nothing beyond U+10FFFF.
inline bool is_code_point(uint32_t code) {
  return code < 0xd800 || (code > 0xdfff && code <= 0x10ffff);
}

// Requires: is_code_point(code).
inline void append_code_point(uint32_t code, std::string& out) {
  const auto put = [&out](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace plainfs
