// A file driver for libhdf5 that writes into a FileSink of the caller.
#pragma once

#include "formats/containers/hdf5/library/file_sink.h"
#include "formats/containers/hdf5/library/library.h"

namespace plainfs::hdf5 {

// The library's placement of metadata: each object at its own allocation, or small pieces together, as with
// the library's own driver for files.
enum class MetadataPlacement { as_allocated, together };

// Returns an access list that makes the created file go into sink. Exceptions of sink become errors of the
// driver (file_driver.h). Requires: the library's lock is held; sink outlives the open file.
PropertyHandle access_into(FileSink& sink, MetadataPlacement placement);

}  // namespace plainfs::hdf5
