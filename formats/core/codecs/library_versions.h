// Which versions of the compression libraries this program runs with.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace plainfs {

// By the library's name, "libzstd" → "1.5.4". What a library cannot say of itself while it runs is what it
// was built against.
std::vector<std::pair<std::string, std::string>> codec_libraries();

}  // namespace plainfs
