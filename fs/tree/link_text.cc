#include "fs/tree/link_text.h"

namespace plainfs {

std::string relative_text(std::span<const std::string> from, std::span<const std::string> outside,
                          std::span<const std::string> path) {
  size_t common = 0;
  if (outside.empty()) {
    while (common < from.size() && common < path.size() && from[common] == path[common]) ++common;
  }
  std::string text;
  const auto add = [&text](std::string_view name) {
    if (!text.empty()) text += '/';
    text += name;
  };
  for (size_t i = common; i < from.size(); ++i) add("..");
  for (const std::string& name : outside) add(name);
  for (const std::string& name : path.subspan(common)) add(name);
  return text.empty() ? "." : text;
}

std::string source_and_path(const Link& link) {
  std::string text = link.source + ":";
  for (const std::string& name : link.path) text += "/" + name;
  if (link.path.empty()) text += '/';
  std::string safe;
  for (const char c : text) {
    if (c == '\0')
      safe += "%00";
    else
      safe += c;
  }
  return safe;
}

}  // namespace plainfs
