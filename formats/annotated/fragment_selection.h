// A selection of the fragments of some cells.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs {

// Returns the fragments of the marked cells in their order, with all names. cells: one value for each cell of
// cell_names, 1 = marked. Reads nothing: one pass over the cells finds the fragments when they are evaluated.
Fragments selected_fragments(const Fragments& fragments, std::vector<uint8_t> cells, Context& context);

}  // namespace plainfs
