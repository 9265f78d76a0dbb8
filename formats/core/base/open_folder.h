// A folder of the system that is open to be listed: opendir(3) or fdopendir(3) gives it, and it is closed
// with its owner.
#pragma once

#include <dirent.h>

#include <memory>

namespace plainfs {

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, FolderCloser>;

}  // namespace plainfs
