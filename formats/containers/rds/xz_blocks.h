// Data of the .xz format that were compressed in several blocks ("xz -T0"), each of which decompresses by
// itself ("The .xz File Format", version 1.1.0, sections 2 to 4).
#pragma once

#include <memory>
#include <vector>

#include "formats/containers/rds/byte_source.h"

namespace plainfs::rds {

inline constexpr uint64_t kMostXzMemory = 256 << 20;  // xz -9 needs 65 MiB

// Where the second and all later blocks begin, as the index at the end says; none where the file is not one
// stream with an index. Throws what reading throws.
std::vector<SeekPoint> xz_blocks(const File& file);

// The data from such a place on. What the place says is not believed: what is no block there is damage.
std::unique_ptr<ByteSource> xz_source(FilePtr file, const SeekPoint& point);

}  // namespace plainfs::rds
