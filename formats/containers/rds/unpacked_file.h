// A compressed file as the file that it holds: of one that was compressed twice, as gzip does with what
// saveRDS() has compressed already.
#pragma once

#include <memory>

#include "formats/containers/rds/unpacked_bytes.h"

namespace plainfs::rds {

// The decompressed content of file, at the path and with the version of file. Reads all of it once, unless a
// pass of an earlier session is known. Throws unsupported if it is longer than most_bytes.
FilePtr unpacked_file(FilePtr file, Compression compression, uint64_t most_bytes, Context& context);

}  // namespace plainfs::rds
