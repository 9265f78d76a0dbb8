#include <lz4.h>

#include "formats/core/base/cursor.h"
#include "formats/core/codecs/blocks.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {

size_t decode_lz4_block_up_to(ByteSpan encoded, std::span<std::byte> out) {
  if (out.size() > LZ4_MAX_INPUT_SIZE || encoded.size() > INT32_MAX)
    throw damaged("lz4: {} bytes are too large for a block", out.size());
  const int written =
      LZ4_decompress_safe(reinterpret_cast<const char*>(encoded.data()), reinterpret_cast<char*>(out.data()),
                          static_cast<int>(encoded.size()), static_cast<int>(out.size()));
  if (written < 0) throw damaged("lz4: invalid or truncated");
  return static_cast<size_t>(written);
}

void decode_lz4_block(ByteSpan encoded, std::span<std::byte> out) {
  check_decoded_size("lz4", decode_lz4_block_up_to(encoded, out), DecodedSize::exactly(out.size()));
}

namespace {

class Lz4 : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    if (encoded.size() < 4) throw damaged("lz4: {} bytes are too short for a chunk", encoded.size());
    const uint32_t decoded = load_little<uint32_t>(encoded.data());
    check_decoded_size("lz4", decoded, size);
    Bytes out(decoded);
    decode_lz4_block(ByteSpan(encoded).subspan(4), out);
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
};

// HDF5's LZ4 filter, as in H5Zlz4.c of the HDF Group's hdf5_plugins. Numbers are big-endian.
class Hdf5Lz4 : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    Cursor cursor(encoded);
    const auto decoded = cursor.big<uint64_t>();
    check_decoded_size("lz4", decoded, size);
    const uint64_t block_bytes = cursor.big<uint32_t>();
    if (block_bytes == 0 && decoded > 0) throw damaged("lz4: invalid blocks of no bytes");
    Bytes out(decoded);
    for (std::span<std::byte> left(out); !left.empty();) {
      const std::span<std::byte> block = left.first(std::min<uint64_t>(block_bytes, left.size()));
      const ByteSpan stored = cursor.bytes(cursor.big<uint32_t>());
      if (stored.size() == block.size())  // stored uncompressed
        std::copy(stored.begin(), stored.end(), block.begin());
      else
        decode_lz4_block(stored, block);
      left = left.subspan(block.size());
    }
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
};

}  // namespace

CodecPtr lz4_codec() {
  return std::make_unique<Lz4>();
}

CodecPtr hdf5_lz4_codec() {
  return std::make_unique<Hdf5Lz4>();
}

}  // namespace plainfs
