// Sources of data that consist of blocks or frames, at which reading can resume.
#pragma once

#include <memory>
#include <vector>

#include "formats/core/unpacked/byte_source.h"

namespace plainfs::unpacked {

// Opens a source of gzip data at point, or at the file's beginning if point is {}. points, max_points: see
// open_source().
std::unique_ptr<ByteSource> gzip_source(FilePtr file, const SeekPoint& point, std::vector<SeekPoint>* points,
                                        size_t max_points = kMaxGzipPoints);

// Opens a source of bzip2 data at point, or at the file's beginning if point is {}. points: see
// open_source().
std::unique_ptr<ByteSource> bzip2_source(FilePtr file, const SeekPoint& point,
                                         std::vector<SeekPoint>* points);

inline constexpr uint64_t kMaxXzMemory = 256 << 20;  // xz -9 needs 65 MiB

// Returns the positions of all blocks of .xz data but the first, according to the index at the end. Empty if
// the file is not one stream with an index. Throws errors of reading.
std::vector<SeekPoint> xz_blocks(const File& file);

// Returns the .xz data from point on. point is not trusted: it is damage if no block begins there.
std::unique_ptr<ByteSource> xz_source(FilePtr file, const SeekPoint& point);

// Opens a source of zstd data at point, as bzip2_source does.
std::unique_ptr<ByteSource> zstd_source(FilePtr file, const SeekPoint& point, std::vector<SeekPoint>* points);

// Returns the types of the vectors of a .qs file that have their bytes stored apart: bits 1, 2, 4 and 8 for
// logical, integer, real and complex ones.
unsigned qs_shuffled_types(const File& file);

// Opens a source of the decoded bytes of a .qs2 or .qdata file, or of a .qs file, at point, as bzip2_source
// does. A source at the beginning verifies the checksum.
std::unique_ptr<ByteSource> qs2_source(FilePtr file, const SeekPoint& point, std::vector<SeekPoint>* points);
std::unique_ptr<ByteSource> qs_source(const FilePtr& file, const SeekPoint& point,
                                      std::vector<SeekPoint>* points);

}  // namespace plainfs::unpacked
