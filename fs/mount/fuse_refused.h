// What to say where FUSE refuses to mount: what is missing, how it is had, and what works without it.
#pragma once

#include <string>
#include <string_view>

namespace plainfs {

inline constexpr std::string_view kWithoutFuse =
    "without a mount there are: plainfs ls, cat, export, info and check";

// Why this process cannot mount, with the way to change it; "" where nothing is seen that stands against it.
// Only looks at what the system says of itself: whether a mount would work is known by trying.
// for_others: with -o allow_other.
std::string why_fuse_is_refused(bool for_others);

}  // namespace plainfs
