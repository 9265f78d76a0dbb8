// A file driver for libhdf5 that writes into a file of the caller's.
#pragma once

#include "formats/containers/hdf5/library/file_sink.h"
#include "formats/containers/hdf5/library/library.h"

namespace plainfs::hdf5 {

// How the library places metadata: each object where it is allocated, or small pieces together, as the
// library's own driver for files does.
enum class MetadataPlacement { as_allocated, together };

// Returns an access list: the file that is created with it goes into sink. What sink throws is an error of
// the driver (file_driver.h). Requires: the library's lock is held; sink lives as long as the file is open.
PropertyHandle access_into(FileSink& sink, MetadataPlacement placement);

}  // namespace plainfs::hdf5
