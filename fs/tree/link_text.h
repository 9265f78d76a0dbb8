// The text of a symbolic link (fs/VIEWS.md, section 1.1).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs {

// The way from the directory `from` (names from its store's root) to `path`, a name in the store whose root
// is reached by `outside` from this store's root ({"..", "other.h5"}; empty = this store). All names as
// shown. "." for the directory itself.
std::string relative_text(std::span<const std::string> from, std::span<const std::string> outside,
                          std::span<const std::string> path);

// "SOURCE:/PATH", for a link into a store that is out of reach.
std::string source_and_path(const Link& link);

}  // namespace plainfs
