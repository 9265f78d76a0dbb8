// The stores that --join shows as one, as the arguments of a command name them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"

namespace plainfs {

// Returns whether an argument names a list of stores: "@FILE".
inline bool is_list_of_stores(std::string_view name) {
  return name.size() > 1 && name[0] == '@';
}

// Returns the stores with those names. "@FILE" stands for the stores in a file: one on each line, with a
// label after a tab if wanted, relative to the file's folder; lines that begin with # are comments. Without
// labels the stores are called what distinguishes their paths: the file's name without its ending or, if
// several have that, the name of a folder above it. how: "inner" or "outer". column: see JoinOptions. Throws
// Failure(kUsage).
std::shared_ptr<const JoinOptions> joined_stores(std::span<const std::string> names, std::string_view how,
                                                 const std::string& column);

}  // namespace plainfs
