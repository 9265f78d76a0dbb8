#include "fs/serve/target.h"

#include <algorithm>

#include "formats/core/text/percent.h"

namespace plainfs::serve {

// Clients take dots away before they ask; who sends them tries something.
bool is_no_name(const std::string& name) {
  return name == "." || name == ".." || name.find('/') != std::string::npos ||
         name.find('\0') != std::string::npos;
}

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
    if (!is_percent_encoded(text.substr(0, end))) return std::nullopt;
    const std::string name = percent_decoded(text.substr(0, end));
    if (is_no_name(name)) return std::nullopt;
    if (!name.empty()) target.names.push_back(name);
    text.remove_prefix(end);
  }
  return target;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    const size_t sign = std::min(part.find('='), part.size());
    if (part.substr(0, sign) != name) continue;
    return percent_decoded(part.substr(std::min(sign + 1, part.size())));
  }
  return std::nullopt;
}

std::optional<std::string> form_value(std::string_view query, std::string_view name) {
  std::string text;
  for (const char c : query) text += c == '+' ? std::string("%20") : std::string(1, c);
  return query_value(text, name);
}

}  // namespace plainfs::serve
