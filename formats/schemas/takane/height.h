// The height of a takane object: what must equal the row count of a data frame that has the object as a
// column. Source: takane 0.10.0, include/takane/_height.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Nullopt for types that have no height, or that plainfs does not know. Throws where the object cannot be
// read.
std::optional<uint64_t> height_of(const ObjectPlace& place, const ObjectFile& object, Context& context);

}  // namespace plainfs::takane
