// Some of the cells of genomic fragments.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// The fragments of the cells that are marked (1; one a cell of cell_names), in their order, with all names.
// Reads nothing: which these are is found out in one pass over the cells when they are evaluated.
Fragments selected_fragments(const Fragments& fragments, std::vector<uint8_t> cells, Context& context);

}  // namespace plainfs
