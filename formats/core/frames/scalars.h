// Groups of single numbers, for example the scale factors of an image.
#pragma once

#include <optional>

#include "formats/core/model/node.h"

namespace plainfs::frames {

// Returns the members as a table of one column, `value`, with their names: 64-bit reals. Returns nullopt for
// an empty list, or if a member is not a single number. Reads nothing.
std::optional<Table> table_of_scalars(const std::vector<Member>& members);

}  // namespace plainfs::frames
