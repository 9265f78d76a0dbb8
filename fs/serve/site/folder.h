// The entries of a folder, for pages, JSON and WebDAV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/serve/site/exchange.h"
#include "fs/views/view.h"

namespace plainfs::serve {

struct FolderEntry {
  std::string name;
  bool is_folder = false;
  bool is_link = false;          // the other members then describe its target
  Site::Place place;             // the root of the store for an entry of the folder of all stores
  std::optional<uint64_t> size;  // of a file, if known without a pass over its content
  time_t modified = 0;
  uint64_t opening = 0;
  std::string error;             // why it cannot be described; empty: no error
  std::string fault{};           // why its content cannot be read, if that is known without a pass over it
  bool is_unlisted = false;      // found by name only
  bool is_store = false;         // the root of a store, which may fail to open
  const FileRow* row = nullptr;  // FileIdentity::row

  // Returns whether it is a file or folder with that form (fs/views/file_forms.h).
  bool is(const FileForm& form) const { return has_form(row, form); }
};

// Returns the entries of a folder, sorted by name. Links to targets that are not shown are omitted. Reads no
// content. Throws if the folder cannot be read. unlisted: include entries that are found by name only.
std::vector<FolderEntry> folder_entries(const Exchange& exchange, const Site::Place& folder,
                                        bool unlisted = false);

}  // namespace plainfs::serve
