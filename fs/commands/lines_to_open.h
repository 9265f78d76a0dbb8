// Instructions to open the files of a store with their usual tools, one line each, with the paths in a mount.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fs/report/walk.h"

namespace plainfs {

// Returns the lines for the files in `all`; "" if no tool opens any of them. folder: the mountpoint, real or
// assumed. is_broken: returns whether a file is known to fail; it is omitted.
std::string lines_to_open(const std::vector<Walked>& all, const std::string& folder,
                          const std::function<bool(const Walked&)>& is_broken);

}  // namespace plainfs
