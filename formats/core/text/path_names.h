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

// Returns the path without its last name: "a" for "a/b.csv", "" for "b.csv" and "/b.csv".
inline std::string_view path_above(std::string_view path) {
  const size_t slash = path.rfind('/');
  return path.substr(0, slash == path.npos ? 0 : slash);
}

// Returns the folder of a path on a disk: "/a" for "/a/b", "/" for "/a" and "." for "a".
inline std::string folder_of_path(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : std::string(path.substr(0, slash == 0 ? 1 : slash));
}

// Returns "a/b" for the path "a" and the name "b", "b" for "", and "/b" for "/".
inline std::string joined_path(std::string_view path, std::string_view name) {
  std::string whole(path);
  if (!whole.empty() && whole != "/") whole += '/';
  return whole.append(name);
}

}  // namespace plainfs
