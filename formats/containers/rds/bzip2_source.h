// bzip2 data block by block. A block begins at any bit with 48 bits that mark it, and decompresses alone: so
// each is a place to begin again.
#pragma once

#include "formats/containers/rds/byte_source.h"

namespace plainfs::rds {

// From point on, or from the file's beginning where that is {}. points as in open_source().
std::unique_ptr<ByteSource> bzip2_source(FilePtr file, const SeekPoint& point,
                                         std::vector<SeekPoint>* points);

}  // namespace plainfs::rds
