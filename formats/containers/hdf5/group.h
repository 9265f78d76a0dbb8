// The groups of an HDF5 file, with soft, external and hard links.
#pragma once

#include "formats/containers/hdf5/source_file.h"
#include "formats/core/model/node.h"

namespace plainfs::hdf5 {

// Returns the root group. Members are sorted by name. A hard link to the group itself or to an enclosing
// group becomes a Link, since it would make the tree endless. Committed datatypes are left out.
GroupPtr root_group(SourceFilePtr file);

}  // namespace plainfs::hdf5
