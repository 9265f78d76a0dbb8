// The content of a generated directory.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "fs/text/view_entry.h"
#include "tests/support/view_text.h"

namespace plainfs {

// Returns every file listed in it and below, by its path, without opening one.
inline std::map<std::string, ViewEntry> listed_files(const ListEntries& list, const std::string& place = "") {
  std::map<std::string, ViewEntry> files;
  for (ViewEntry& entry : list()) {
    if (entry.is_unlisted) continue;
    if (entry.list)
      files.merge(listed_files(entry.list, place + entry.name + "/"));
    else if (!files.emplace(place + entry.name, entry).second)
      throw std::logic_error(place + entry.name + " is there twice");
  }
  return files;
}

inline std::map<std::string, std::string> listed_texts(const ListEntries& list) {
  std::map<std::string, std::string> texts;
  for (const auto& [path, entry] : listed_files(list)) texts[path] = whole_text(*entry.open());
  return texts;
}

// Returns the file or directory at a path, listed or not.
inline ViewEntry found(const ListEntries& list, std::string_view path) {
  const size_t end = std::min(path.find('/'), path.size());
  for (ViewEntry& entry : list()) {
    if (entry.name != path.substr(0, end)) continue;
    return end == path.size() ? entry : found(entry.list, path.substr(end + 1));
  }
  throw std::out_of_range("no " + std::string(path));
}

inline std::string text_at(const ListEntries& list, std::string_view path) {
  return whole_text(*found(list, path).open());
}

}  // namespace plainfs
