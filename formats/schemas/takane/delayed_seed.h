// The arrays at the ends of a delayed tree: in the file itself (dense array, sparse matrix, constant array),
// or an object in seeds/ (custom takane seed array). Source: chihaya 1.1, docs/specifications/arrays; takane
// 0.10.0, include/takane/delayed_array.hpp.
#pragma once

#include "formats/schemas/takane/delayed_tree.h"

namespace plainfs::takane {

// node: a group of the kind that its attribute delayed_array names. place: of the object whose file it is in.
Delayed read_seed(const Group& node, const std::string& kind, const ObjectPlace& place, TreeBudget& budget,
                  Context& context);

}  // namespace plainfs::takane
