// Single blocks of compressors, for formats that store several of them in a chunk with their own framing.
#pragma once

#include <span>

#include "formats/core/base/bytes.h"

namespace plainfs {

// Decode one raw LZ4 block, one Zstandard frame, or one raw Snappy block (google/snappy,
// format_description.txt) to out.size() bytes. Throw damaged if it contains any other number of bytes.
void decode_lz4_block(ByteSpan encoded, std::span<std::byte> out);
void decode_zstd_block(ByteSpan encoded, std::span<std::byte> out);
void decode_snappy_block(ByteSpan encoded, std::span<std::byte> out);

// Returns the size of the decoded bytes that a raw Snappy block states. Throws damaged.
uint64_t snappy_size(ByteSpan encoded);

// Decodes one raw LZ4 block of unknown size into the beginning of `out`. Returns the number of bytes. Throws
// damaged if it is not valid or has more bytes than `out`.
size_t decode_lz4_block_up_to(ByteSpan encoded, std::span<std::byte> out);

}  // namespace plainfs
