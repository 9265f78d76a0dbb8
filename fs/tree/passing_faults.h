// Faults that may pass (a disk, memory, permissions: Errc::unreadable) and what they leave in a listing.
#pragma once

#include "fs/tree/directory.h"

namespace plainfs {

// Whether something of it is an error that may not be there the next time, as far as that is known without
// reading anything.
bool has_passing_fault(const Shown& shown);

}  // namespace plainfs
