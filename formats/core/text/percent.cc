#include "formats/core/text/percent.h"

#include <optional>

namespace plainfs {
namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// Returns the byte that is encoded by "%" at the beginning of `text`; nullopt if that is not a valid escape.
std::optional<char> escaped_byte(std::string_view text) {
  if (text.size() < 3) return std::nullopt;
  const std::optional<unsigned> high = hex_digit(text[1]), low = hex_digit(text[2]);
  return high && low ? std::optional(static_cast<char>(*high << 4 | *low)) : std::nullopt;
}

}  // namespace

std::string percent_encoded(std::string_view text, bool keeps_slashes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char letter : text) {
    const bool is_plain = (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
                          (letter >= '0' && letter <= '9') ||
                          std::string_view("-._~").find(letter) != std::string_view::npos ||
                          (letter == '/' && keeps_slashes);
    const auto byte = static_cast<unsigned char>(letter);
    if (is_plain)
      encoded += letter;
    else
      (encoded += '%').append({kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    const std::optional<char> byte = text[0] == '%' ? escaped_byte(text) : std::nullopt;
    decoded += byte.value_or(text[0]);
    text.remove_prefix(byte ? 3 : 1);
  }
  return decoded;
}

bool is_percent_encoded(std::string_view text) {
  for (size_t at = 0; (at = text.find('%', at)) != std::string_view::npos; ++at)
    if (!escaped_byte(text.substr(at))) return false;
  return true;
}

}  // namespace plainfs
