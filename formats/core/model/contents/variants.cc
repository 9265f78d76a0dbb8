#include "formats/core/model/contents/variants.h"

#include <algorithm>

namespace plainfs {

std::optional<Declared> declared_in(std::string_view line) {
  const size_t open = line.find("=<");
  if (!line.starts_with("##") || open == line.npos || !line.ends_with('>')) return std::nullopt;
  const std::string_view kind = line.substr(2, open - 2);
  std::string_view rest = line.substr(open + 2, line.size() - open - 3);
  while (!rest.empty()) {
    bool is_quoted = false;
    size_t end = 0;
    for (; end < rest.size() && (is_quoted || rest[end] != ','); ++end) {
      if (rest[end] == '\\' && is_quoted && end + 1 < rest.size())
        ++end;
      else if (rest[end] == '"')
        is_quoted = !is_quoted;
    }
    const std::string_view item = rest.substr(0, end);
    if (item.starts_with("ID=")) return Declared{std::string(kind), std::string(item.substr(3))};
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

}  // namespace plainfs
