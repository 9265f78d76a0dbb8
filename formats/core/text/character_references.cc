#include "formats/core/text/character_references.h"

#include <charconv>
#include <cstdint>

#include "formats/core/text/utf8.h"

namespace plainfs {

void append_with_references_decoded(std::string_view text, std::string& out) {
  for (size_t at; (at = text.find("&#")) != text.npos;) {
    out += text.substr(0, at);
    text.remove_prefix(at);
    const bool is_hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
    const char* const digits = text.data() + 2 + is_hex;
    const char* const end = text.data() + text.size();
    uint32_t code = 0;
    const auto [stop, failure] = std::from_chars(digits, end, code, is_hex ? 16 : 10);
    const bool is_reference = failure == std::errc() && stop != end && *stop == ';';
    if (is_reference && code >= 128 && is_code_point(code)) {
      append_utf8(code, out);
      text.remove_prefix(static_cast<size_t>(stop + 1 - text.data()));
    } else {
      out += "&#";
      text.remove_prefix(2);
    }
  }
  out += text;
}

}  // namespace plainfs
