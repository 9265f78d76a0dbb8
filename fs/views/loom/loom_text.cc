#include <cctype>

#include "formats/core/text/utf8.h"
#include "fs/views/loom/loom_files.h"

namespace plainfs {

namespace {

// Returns the number of the character that `bytes` encodes.
uint32_t character(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  uint32_t number = bytes.size() == 2 ? lead & 0x1f : bytes.size() == 3 ? lead & 0x0f : lead & 0x07;
  for (const char byte : bytes.substr(1)) number = number << 6 | (static_cast<unsigned char>(byte) & 0x3f);
  return number;
}

}  // namespace

// html.unescape, through which loompy reads every text, knows some names without a semicolon.
std::string loom_text(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x80) {
      const size_t length = utf8_length(text.substr(i));
      if (length == 0) throw damaged("a text that is not UTF-8");
      out += fmt::format("&#{};", character(text.substr(i, length)));
      i += length;
      continue;
    }
    const unsigned char next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : ' ';
    out += text[i++];
    if (byte == '&' && (next == '#' || std::isalpha(next) != 0)) out += "amp;";
  }
  return out;
}

}  // namespace plainfs
