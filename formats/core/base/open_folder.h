// A folder opened with opendir(3) or fdopendir(3) to list its entries. Its owner closes it.
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

// Returns the next entry except "." and "..". Returns null at the end with errno 0, after a failure with its
// errno.
inline const dirent* next_entry(const OpenFolder& folder) {
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(folder.get());
    const std::string_view name = entry ? entry->d_name : "";
    if (name != "." && name != "..") return entry;
  }
}

}  // namespace plainfs
