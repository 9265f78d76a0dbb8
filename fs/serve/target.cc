#include "fs/serve/target.h"

#include <algorithm>

namespace plainfs::serve {
namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const std::optional<unsigned> high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    name += static_cast<char>(*high << 4 | *low);
    i += 2;
  }
  return name;
}

// Whether nothing shown can have it. Clients take dots away before they ask; who sends them tries something.
bool is_no_name(const std::string& name) {
  return name == "." || name == ".." || name.find('/') != std::string::npos ||
         name.find('\0') != std::string::npos;
}

}  // namespace

std::optional<Target> parse_target(std::string_view text) {
  Target target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    text.remove_prefix(scheme.size());
    const size_t end = std::min(text.find_first_of("/?#"), text.size());
    if (end == 0) return std::nullopt;
    target.host = text.substr(0, end);
    text.remove_prefix(end);
    if (text.empty()) text = "/";
    break;
  }
  if (!text.starts_with('/') || text.find('#') != std::string_view::npos) return std::nullopt;
  const size_t mark = std::min(text.find('?'), text.size());
  if (mark < text.size()) target.query = text.substr(mark + 1);
  text = text.substr(0, mark);
  target.is_folder = text.ends_with('/');
  while (!text.empty()) {
    text.remove_prefix(1);
    const size_t end = std::min(text.find('/'), text.size());
    const std::optional<std::string> name = decoded(text.substr(0, end));
    if (!name || is_no_name(*name)) return std::nullopt;
    if (!name->empty()) target.names.push_back(*name);
    text.remove_prefix(end);
  }
  return target;
}

std::string encoded(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~";
  std::string text;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          kPlain.find(c) != std::string_view::npos;
    if (is_plain) {
      text += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      text += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return text;
}

}  // namespace plainfs::serve
