// Groups of single numbers, as the scale factors of an image are kept.
#pragma once

#include <optional>

#include "formats/core/model/node.h"

namespace plainfs::frames {

// The members as a table of one column, `value`, and their names: real numbers of 64 bits. Nullopt where
// there is none, or one that is something else than a single number. Reads nothing.
std::optional<Table> table_of_scalars(const std::vector<Member>& members);

}  // namespace plainfs::frames
