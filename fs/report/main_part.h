// The part that stands for a store of several assays or modalities.
#pragma once

#include <string>

#include "fs/filesystem.h"

namespace plainfs {

// Returns the path of its directory, "assays/RNA" or "mod/rna"; "" for a store without such a part, and for a
// folder of stores. See formats/annotated/main_part.h.
std::string main_part(Filesystem& filesystem);

}  // namespace plainfs
