// The directory form of a BPCells store: a file `version` and a file for each array.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs::bpcells {

// A directory with a file `version` that holds one of BPCells' version strings, or beside which stands an
// array that only BPCells has; so a damaged store is refused instead of being shown as a folder. Never
// throws.
bool recognises_directory(const Probe& probe);

// The root is the raw group of the stored arrays: the schema gives it meaning. Throws damaged where `version`
// is not one line, unsupported where BPCells has no such version.
Store open_directory(const Probe& probe, Context& context);

}  // namespace plainfs::bpcells
