// Data of the .xz format that were compressed in several blocks ("xz -T0"). Each block decompresses
// independently ("The .xz File Format", version 1.1.0, sections 2 to 4).
#pragma once

#include <memory>
#include <vector>

#include "formats/containers/rds/byte_source.h"

namespace plainfs::rds {

inline constexpr uint64_t kMostXzMemory = 256 << 20;  // xz -9 needs 65 MiB

// Returns the positions of all blocks but the first, according to the index at the end. Empty if the file is
// not one stream with an index. Throws errors of reading.
std::vector<SeekPoint> xz_blocks(const File& file);

// Returns the data from point on. point is not trusted: it is damage if no block begins there.
std::unique_ptr<ByteSource> xz_source(FilePtr file, const SeekPoint& point);

}  // namespace plainfs::rds
