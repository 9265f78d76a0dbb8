// How what is in a store is opened with the tools that it is for: a line each, with the paths that the files
// have in a mount.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fs/report/walk.h"

namespace plainfs {

// folder: where the store is mounted, or would be. is_broken: whether a file is known to fail; it is not
// named.
// "" where there is no such file among all.
std::string ways_to_open(const std::vector<Walked>& all, const std::string& folder,
                         const std::function<bool(const Walked&)>& is_broken);

}  // namespace plainfs
