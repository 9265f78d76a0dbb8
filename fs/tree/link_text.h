// The text of symbolic links (fs/VIEWS.md, section 1.1).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs {

// Returns the relative path from the directory `from` (names from its store's root) to `path`, a name in the
// store with the root at `outside` relative to this store's root ({"..", "other.h5"}; empty = this store).
// All names are as shown. Returns "." for the directory itself.
std::string relative_text(std::span<const std::string> from, std::span<const std::string> outside,
                          std::span<const std::string> path);

// Returns "SOURCE:/PATH", for a link into a store that is out of reach.
std::string source_and_path(const Link& link);

}  // namespace plainfs
