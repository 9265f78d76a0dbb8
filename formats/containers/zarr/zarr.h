// Zarr v2 and v3 stores, in a directory or a zip file: FORMAT.md beside this tells what is read. The root may
// be a group or one bare array.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs::zarr {

// Also true for stores of which open() can say why it refuses them: N5, and the drafts of Zarr v3.
bool recognises(const Probe& probe);

// Throws damaged, unsupported, unreadable: where the root's metadata cannot be read. A root that is one array
// of a type or codec that plainfs does not know opens; its node holds the Error.
Store open(const Probe& probe, Context& context);

}  // namespace plainfs::zarr
