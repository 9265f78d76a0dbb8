// Compression of generated files. The data are split into pieces, so that many threads compress at once.
// Levels range from 1, the fastest, to 9.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/core/base/bytes.h"

namespace plainfs {

// Returns `bytes` as a complete zlib stream, as HDF5's filter `gzip` stores a chunk.
Bytes zlib_deflated(ByteSpan bytes, int level);

// Returns `bytes` as part of a raw deflate stream. It ends at a byte boundary, so that the next part can
// follow; kDeflateEnd ends the stream.
Bytes deflated_part(ByteSpan bytes, int level);
inline constexpr std::string_view kDeflateEnd{"\x03\x00", 2};  // a last block without content

// Returns `bytes` as a zstd frame, as Parquet stores a page.
Bytes zstd_compressed(ByteSpan bytes, int level);

// Returns elements of a size as a blosc frame with lz4 and shuffled bytes, as numcodecs writes it by default.
// Throws unsupported if they exceed 2 GiB, which is the limit of a frame.
Bytes blosc_compressed(ByteSpan bytes, uint32_t element_bytes, int level);

// A gzip stream (RFC 1952) is kGzipHeader, deflated parts, kDeflateEnd and the trailer.
inline constexpr std::string_view kGzipHeader{"\x1f\x8b\x08\0\0\0\0\0\0\x03",
                                              10};  // no name or time, on Unix
// Returns the trailer for content of that CRC-32 and size.
std::string gzip_trailer(uint32_t crc, uint64_t size);

// Returns the CRC-32 of gzip.
uint32_t gzip_crc(ByteSpan bytes);
// Returns the CRC-32 of two joined runs of bytes; the second has `size` bytes.
uint32_t joined_gzip_crc(uint32_t first, uint32_t second, uint64_t size);

}  // namespace plainfs
