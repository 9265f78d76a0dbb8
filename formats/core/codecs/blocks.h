// Single blocks of compressors, for formats that store several of them in a chunk with their own framing.
#pragma once

#include <span>

#include "formats/core/base/bytes.h"

namespace plainfs {

// Decode one raw LZ4 block, or one Zstandard frame, to out.size() bytes. Throw damaged if it contains any
// other number of bytes.
void decode_lz4_block(ByteSpan encoded, std::span<std::byte> out);
void decode_zstd_block(ByteSpan encoded, std::span<std::byte> out);

}  // namespace plainfs
