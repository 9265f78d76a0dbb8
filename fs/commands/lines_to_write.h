// The formats in which a store, or a part of it, can be exported: one command line each.
#pragma once

#include <string>

#include "fs/filesystem.h"

namespace plainfs {

// store: as it was given. path: of a part, or "". Returns "" if there is no such format.
std::string lines_to_write(Filesystem& filesystem, const std::string& store, const std::string& path);

}  // namespace plainfs
