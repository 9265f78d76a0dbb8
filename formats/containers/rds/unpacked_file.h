// The content of a compressed file as a file, for files that are compressed twice, for example gzip of an
// output of saveRDS().
#pragma once

#include <memory>

#include "formats/containers/rds/unpacked_bytes.h"

namespace plainfs::rds {

// Returns the decompressed content of file, with the path and version of file. Reads all of it once unless
// the results of an earlier session are known. Throws unsupported if it is longer than most_bytes.
FilePtr unpacked_file(FilePtr file, Compression compression, uint64_t most_bytes, Context& context);

}  // namespace plainfs::rds
