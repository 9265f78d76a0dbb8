// Datatypes as libhdf5 describes them, which is as they would lie in memory, where strings and sequences are
// pointers: the stored sizes and record offsets are worked out again, by the rule of its own H5T_set_loc. And
// the extents of which they are the types.
#pragma once

#include <hdf5.h>

#include "formats/containers/hdf5/stored_type.h"

namespace plainfs::hdf5 {

// Throws unsupported for a type that plainfs has no DType for, damaged for one that makes no sense.
// Requires: the library's lock is held.
StoredType stored_type(hid_t type, const FileLayout& layout);

// The dimensions of a dataset or an attribute, in an extent without a type. Requires: the library's lock is
// held.
StoredExtent read_dimensions(hid_t space);

// The extent of a dataset or an attribute, with its type. Throws as stored_type(). Requires: the library's
// lock is held.
StoredExtent read_extent(hid_t type, hid_t space, const FileLayout& layout);

}  // namespace plainfs::hdf5
