// The part that stands for a store of several annotated matrices.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/node.h"

namespace plainfs {

// Returns the names from the root to that part: the active assay of a Seurat object, or the first modality of
// a MuData in the order of mod-order. Empty for any other store, and if the part cannot be determined. Reads
// no data.
std::vector<std::string> main_part(const Node& root);

}  // namespace plainfs
