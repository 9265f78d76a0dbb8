#include "fs/commands/share.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "fs/command_line/exit_code.h"

namespace plainfs {

Share parse_part(const std::string& text) {
  Share part;
  const char* const end = text.data() + text.size();
  const auto [slash, wrong] = std::from_chars(text.data(), end, part.number);
  if (wrong == std::errc() && slash != end && *slash == '/') {
    const auto [rest, wrong_too] = std::from_chars(slash + 1, end, part.count);
    if (wrong_too == std::errc() && rest == end && part.number >= 1 && part.number <= part.count) return part;
  }
  throw Failure(kUsage, fmt::format("--part {}: expected I/N with I from 1 to N", text));
}

}  // namespace plainfs
