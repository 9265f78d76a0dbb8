// Conversion of libhdf5's datatypes and extents. libhdf5 describes types as they would be in memory, where
// strings and sequences are pointers. The stored sizes and the offsets in records are therefore computed
// again, by the rule of its own H5T_set_loc.
#pragma once

#include <hdf5.h>

#include "formats/containers/hdf5/stored_type.h"

namespace plainfs::hdf5 {

// Returns the stored form of a type. Throws unsupported if plainfs has no DType for it, damaged if it is
// invalid. Requires: the library's lock is held.
StoredType stored_type(hid_t type, const FileLayout& layout);

// Returns the dimensions of a dataset or an attribute, in an extent without a type. Requires: the library's
// lock is held.
StoredExtent read_dimensions(hid_t space);

// Returns the extent of a dataset or an attribute, with its type. Throws like stored_type(). Requires: the
// library's lock is held.
StoredExtent read_extent(hid_t type, hid_t space, const FileLayout& layout);

}  // namespace plainfs::hdf5
