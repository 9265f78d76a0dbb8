// What a store, or a part of it, can be written as: a line each, as it is typed.
#pragma once

#include <string>

#include "fs/filesystem.h"

namespace plainfs {

// store: as it was given; path: of a part, or "". Returns "" if it can be written as nothing.
std::string ways_to_write(Filesystem& filesystem, const std::string& store, const std::string& path);

}  // namespace plainfs
