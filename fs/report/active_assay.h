// The active assay of a Seurat object.
#pragma once

#include <string>

#include "fs/filesystem.h"

namespace plainfs {

// Returns its name as in the directory assays/; "" for a store without one.
std::string active_assay(Filesystem& filesystem);

}  // namespace plainfs
