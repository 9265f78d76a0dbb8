#include "fs/command_line/shell_word.h"

#include <fmt/format.h>

#include <string_view>

#include "formats/core/text/printable.h"

namespace plainfs {
namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:@%,";

// Quotes text that a terminal would not show unchanged: $'...' of bash, zsh and ksh.
std::string escaped_word(const std::string& text) {
  std::string out = "$'";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '\'' || letter == '\\')
      out.append("\\").push_back(letter);
    else if (byte < 0x20 || byte >= 0x7f)
      out += fmt::format("\\{:03o}", byte);
    else
      out += letter;
  }
  return out + "'";
}

}  // namespace

std::string shell_word(const std::string& text) {
  const std::string word = text.starts_with('-') ? "./" + text : text;
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  if (printable(word) != word) return escaped_word(word);
  std::string out = "'";
  for (const char letter : word) out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return out + "'";
}

}  // namespace plainfs
