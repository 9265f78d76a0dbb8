#include "formats/core/text/printable.h"

#include <fmt/format.h>

#include <cstdint>

#include "formats/core/text/utf8.h"

namespace plainfs {
namespace {

bool is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void append_escaped(std::string_view bytes, std::string& out) {
  for (const char byte : bytes) {
    if (byte == '\n')
      out += "\\n";
    else if (byte == '\r')
      out += "\\r";
    else if (byte == '\t')
      out += "\\t";
    else
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(code_points(character)[0]))
      append_escaped(character, out);
    else
      out += character;
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace plainfs
