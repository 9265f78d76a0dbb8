// Bytes as lower-case hex.
#pragma once

#include <string>

#include "formats/core/base/bytes.h"

namespace plainfs {

inline void append_hex(ByteSpan bytes, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::byte byte : bytes) {
    out += kDigits[static_cast<unsigned>(byte) >> 4];
    out += kDigits[static_cast<unsigned>(byte) & 15];
  }
}

}  // namespace plainfs
