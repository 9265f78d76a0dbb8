// Which assay of a Seurat object is the active one.
#pragma once

#include <string>

#include "fs/filesystem.h"

namespace plainfs {

// Returns its name as a directory of assays/ has it; "" of a store without one.
std::string active_assay(Filesystem& filesystem);

}  // namespace plainfs
