// The .rds files of R that hold BPCells objects in memory, one or named lists of them. The file is read once,
// when it is opened, and its objects stay in memory, as they do in R.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs::rds {

// A file .rds (in any case) that begins as R's serialisation does, or as one of its compressed forms. Never
// throws.
bool recognises(const Probe& probe);

// The root is a group of stored arrays, or of such groups; the BPCells schema gives them meaning. Throws
// damaged and unsupported as Reader and parts_of() do.
Store open(const Probe& probe, Context& context);

}  // namespace plainfs::rds
