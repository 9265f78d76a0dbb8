// The attributes of an HDF5 object as JSON values.
#pragma once

#include "formats/containers/hdf5/source_file.h"
#include "formats/core/model/array.h"

namespace plainfs::hdf5 {

// In the order in which they were created if the object keeps it, else by name. Throws where one of them
// cannot be read.
Attributes read_attributes(const SourceFile& file, uint64_t object_address);
// One of them, with its own type and shape; null where there is none.
ArrayPtr read_attribute(const SourceFile& file, uint64_t object_address, const std::string& name);

}  // namespace plainfs::hdf5
