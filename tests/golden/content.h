// Whether the bytes of a file are those that a golden case expects.
#pragma once

#include <string>
#include <string_view>

namespace plainfs::golden {

// What is wrong with got, the content of the file called name, or an empty string. `.attrs.json` is compared
// as JSON (got may add dimension_names), `.npy` by header fields and data, everything else byte for byte.
std::string difference(std::string_view name, std::string_view want, std::string_view got);

}  // namespace plainfs::golden
