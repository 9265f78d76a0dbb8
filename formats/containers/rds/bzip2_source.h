// bzip2 data, block by block. A block begins at any bit, with a mark of 48 bits, and decompresses
// independently. Decompression can therefore resume at every block.
#pragma once

#include "formats/containers/rds/byte_source.h"

namespace plainfs::rds {

// Opens a source at point, or at the file's beginning if point is {}. points: see open_source().
std::unique_ptr<ByteSource> bzip2_source(FilePtr file, const SeekPoint& point,
                                         std::vector<SeekPoint>* points);

}  // namespace plainfs::rds
