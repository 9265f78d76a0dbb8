// The directory at the mountpoint: a store, or a directory in it (-o subdir=).
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

// Opens the directory `subdir` of `store` for the mountpoint. subdir: a path as shown, such as "assays/RNA",
// also into a store of a mirrored folder; empty for the whole store. Throws not_found if it is not a
// directory, and the errors of opening and listing.
Top top_of(StorePtr store, std::string_view subdir, const ListingContext& listing);

}  // namespace plainfs
