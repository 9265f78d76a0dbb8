// A file driver for libhdf5 that writes into a file of the caller's.
#pragma once

#include <hdf5.h>

#include "formats/containers/hdf5/library/written_file.h"

namespace plainfs::hdf5 {

// Makes the file that is created with this access list go into sink. What sink throws is an error of the
// driver (file_driver.h). Requires: the library's lock is held; sink lives as long as the file is open.
void write_into(FileSink& sink, hid_t access);

}  // namespace plainfs::hdf5
