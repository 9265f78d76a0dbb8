// Faults that may pass (a disk, memory, permissions: Errc::unreadable) and what they leave in a listing.
#pragma once

#include <optional>

#include "fs/tree/directory.h"

namespace plainfs {

// An error of the node that may not be there the next time, as far as that is known without reading anything.
std::optional<Error> passing_fault(const Node& node);

// Whether it is, or what it stands for has one.
bool has_passing_fault(const Shown& shown);

}  // namespace plainfs
