// Single blocks of compressors, for formats that keep several of them in a chunk in their own way.
#pragma once

#include <span>

#include "formats/core/base/bytes.h"

namespace plainfs {

// Decodes one raw LZ4 block, or one Zstandard frame, to out.size() bytes. Throws damaged where it holds
// another number of bytes.
void decode_lz4_block(ByteSpan encoded, std::span<std::byte> out);
void decode_zstd_block(ByteSpan encoded, std::span<std::byte> out);

}  // namespace plainfs
