// A folder of the system that is open to be listed: opendir(3) or fdopendir(3) gives it, and it is closed
// with its owner.
#pragma once

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace plainfs {

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, FolderCloser>;

// Returns the next entry but "." and "..", or null: at the end with errno 0, else with what failed.
inline const dirent* next_entry(const OpenFolder& folder) {
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(folder.get());
    const std::string_view name = entry ? entry->d_name : "";
    if (name != "." && name != "..") return entry;
  }
}

}  // namespace plainfs
