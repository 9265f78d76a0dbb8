// The groups of an HDF5 file, with soft, external and hard links.
#pragma once

#include "formats/containers/hdf5/source_file.h"
#include "formats/core/model/node.h"

namespace plainfs::hdf5 {

// Members by name. A hard link to a group that encloses it (or to itself) is a Link, as it would make the
// tree endless; committed datatypes are left out.
GroupPtr root_group(SourceFilePtr file);

}  // namespace plainfs::hdf5
