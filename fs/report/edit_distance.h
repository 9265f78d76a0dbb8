// How near what was typed is to what there is.
#pragma once

#include <cstddef>
#include <string_view>

namespace plainfs {

// How many letters have to be put in, left out or changed to make b of a.
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace plainfs
