// The names in a path with "/" between them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace plainfs {

// Returns the names in a path of a store: {"a", "b"} for "/a//b/".
inline std::vector<std::string> path_names(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    if (!name.empty()) names.emplace_back(name);
    path.remove_prefix(std::min(path.size(), name.size() + 1));
  }
  return names;
}

// Returns the last name in a path, as part of it: "b.csv" for "a/b.csv", "" for "a/".
inline std::string_view last_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace plainfs
