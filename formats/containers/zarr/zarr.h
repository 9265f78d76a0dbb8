// Zarr v2 and v3 stores, in a directory or a zip file. FORMAT.md describes what is supported. The root is a
// group or a single array.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs::zarr {

// Returns whether the location is a Zarr store. Also true for N5 and the drafts of Zarr v3, which open()
// refuses with a reason.
bool recognises(const Probe& probe);

// Opens the store. Throws damaged, unsupported or unreadable if the root's metadata cannot be read. A root
// that is one array of an unknown type or codec opens; its node holds the Error.
Store open(const Probe& probe, Context& context);

}  // namespace plainfs::zarr
