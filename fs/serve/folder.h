// What a folder holds, as pages, JSON and WebDAV tell it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/serve/asked.h"

namespace plainfs::serve {

struct FolderEntry {
  std::string name;
  bool is_folder = false;
  bool is_link = false;          // then the rest is of what it leads to
  Site::Place place;             // of a store in the folder of all stores, its root
  std::optional<uint64_t> size;  // of a file: where that takes no pass over its content
  time_t modified = 0;
  uint64_t opening = 0;
  std::string error;         // why nothing is known of it, or empty
  bool is_unlisted = false;  // found by its name alone
  bool is_store = false;     // a store of its own begins here; it need not open
};

// By name. A link that leads to nothing that is shown is left out. Reads no content. Throws where the folder
// cannot be read.
// unlisted: those too that are found by their names alone.
std::vector<FolderEntry> folder_entries(const Asked& asked, const Site::Place& folder, bool unlisted = false);

}  // namespace plainfs::serve
