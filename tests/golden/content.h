// Compares the bytes of a file with a golden case.
#pragma once

#include <string>
#include <string_view>

namespace plainfs::golden {

// Returns the problem of `got`, the content of the file `name`, or an empty string. `.attrs.json` is compared
// as JSON (`got` may add dimension_names), `.npy` by header fields and data, everything else byte for byte.
std::string difference(std::string_view name, std::string_view want, std::string_view got);

}  // namespace plainfs::golden
