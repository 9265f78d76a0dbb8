// The distance between a mistyped name and an existing one.
#pragma once

#include <cstddef>
#include <string_view>

namespace plainfs {

// Returns how many letters must be inserted, removed or changed to turn a into b.
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace plainfs
