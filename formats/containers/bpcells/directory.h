// The directory form of a BPCells store: a file `version` and one file per array.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs::bpcells {

// Returns whether the location is a directory with a file `version` that either holds one of BPCells' version
// strings or stands beside an array that only BPCells has. A damaged store is thus refused instead of being
// shown as a folder. Never throws.
bool recognises_directory(const Probe& probe);

// Opens the store. Its root is the raw group of the stored arrays, which the schema interprets. Throws
// damaged if `version` is not one line, unsupported if BPCells has no such version.
Store open_directory(const Probe& probe, Context& context);

}  // namespace plainfs::bpcells
