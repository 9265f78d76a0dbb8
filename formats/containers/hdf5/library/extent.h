// Dataspaces and types of libhdf5 as StoredExtent.
#pragma once

#include "formats/containers/hdf5/library/library.h"
#include "formats/containers/hdf5/stored_extent.h"

namespace plainfs::hdf5 {

// Requires: the library's lock is held.
StoredExtent read_extent(hid_t type, hid_t space, const FileLayout& layout);

}  // namespace plainfs::hdf5
