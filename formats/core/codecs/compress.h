// Compression, for files that are written: what is compressed is cut into pieces, so that many threads
// compress at once. Levels go from 1, the fastest, to 9.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/core/base/bytes.h"

namespace plainfs {

// Returns the bytes as a zlib stream of its own, as HDF5's filter `gzip` stores a chunk.
Bytes zlib_deflated(ByteSpan bytes, int level);

// Returns the bytes as part of a raw deflate stream. It ends with a byte, so that the next part may follow
// it; kDeflateEnd ends the stream.
Bytes deflated_part(ByteSpan bytes, int level);
inline constexpr std::string_view kDeflateEnd{"\x03\x00", 2};  // a last block without content

// Returns the bytes as a zstd frame, as Parquet stores a page.
Bytes zstd_compressed(ByteSpan bytes, int level);

// The CRC-32 of gzip.
uint32_t gzip_crc(ByteSpan bytes);
// Returns the CRC-32 of two runs of bytes together, the second one of size bytes.
uint32_t joined_gzip_crc(uint32_t first, uint32_t second, uint64_t size);

}  // namespace plainfs
