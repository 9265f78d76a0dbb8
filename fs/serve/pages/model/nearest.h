// The names nearest to one that does not exist, which a page suggests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/text/ascii.h"

namespace plainfs::serve {

inline constexpr size_t kMaxNearest = 8;

// Returns whether name contains part, ignoring case.
bool holds_in_any_case(std::string_view name, std::string_view part);

// Returns up to kMaxNearest of the names name(0) to name(count - 1), the nearest first: names that begin
// with `typed` in any case, then those that differ in a few letters, then those that contain it. Compares
// only the first 64 bytes of `typed` and the first 2^20 names.
std::vector<std::string> nearest_names(std::string_view typed, uint64_t count,
                                       const std::function<std::string_view(uint64_t)>& name);
std::vector<std::string> nearest_names(std::string_view typed, const std::vector<std::string>& names);

}  // namespace plainfs::serve
