// The JSON form of a simple_list. Source: uzuki2 2.0.0, docs/specifications/json (versions 1.0 to 1.2).
#pragma once

#include "formats/core/text/json.h"

namespace plainfs::takane {

// The number of elements of a list document. Throws damaged, with the place ("values[0].values[1]"), where it
// or anything in it is not what the format asks for.
uint64_t check_json_list(const Json& document);

}  // namespace plainfs::takane
