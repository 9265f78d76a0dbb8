// The names in a path with "/" between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/core/text/split.h"

namespace plainfs {

// Returns the names in a path of a store: {"a", "b"} for "/a//b/".
inline std::vector<std::string> path_names(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    if (const std::string_view name = take_part(path, '/'); !name.empty()) names.emplace_back(name);
  }
  return names;
}

// Returns the last name in a path, as part of it: "b.csv" for "a/b.csv", "" for "a/".
inline std::string_view last_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace plainfs
