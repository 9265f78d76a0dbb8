// What stands at the mountpoint: a store, or a directory in it (-o subdir=).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fs/tree/directory.h"

namespace plainfs {

struct Top {
  StorePtr store;
  std::vector<std::string> above;  // names from the store's root; empty = the root
  DirectoryEntry directory;        // without a name
};

// subdir: a path as it is shown, "assays/RNA", also into a store of a mirrored folder; empty for the whole
// store. Throws not_found where it is no directory, and what opening and listing throw.
Top top_of(StorePtr store, std::string_view subdir, const ListingContext& listing);

}  // namespace plainfs
