// string_factor 1.x: codes and their levels in contents.h5. Source: takane 0.10.0,
// include/takane/string_factor.hpp.
#pragma once

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Throws as open_atomic_vector.
Node open_string_factor(const Opening& opening);

}  // namespace plainfs::takane
