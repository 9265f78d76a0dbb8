// The attributes of an HDF5 object as JSON values.
#pragma once

#include "formats/containers/hdf5/source_file.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs::hdf5 {

// Returns all attributes, in the order of creation if the object records it, else by name. Large ones are
// read when their value is asked for. Throws if the attributes cannot be listed.
Attributes read_attributes(const SourceFilePtr& file, uint64_t object_address);
// Returns one attribute with its own type and shape, null if absent.
ArrayPtr read_attribute(const SourceFile& file, uint64_t object_address, const std::string& name);

}  // namespace plainfs::hdf5
