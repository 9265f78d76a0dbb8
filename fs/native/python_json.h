// JSON as Python's json.dumps(indent=4, sort_keys=True) writes it, which zarr-python does.
#pragma once

#include <string>

#include "formats/core/text/json.h"

namespace plainfs {

// Throws damaged where a text or key is not UTF-8.
std::string python_json(const Json& value);

}  // namespace plainfs
