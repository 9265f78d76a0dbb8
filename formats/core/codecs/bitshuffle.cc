#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/codecs/blocks.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/codecs/planes.h"

namespace plainfs {
namespace {

// The elements of a block are sorted by their bits only in groups of eight. The remainder of a chunk after
// its last whole group is stored unchanged (bitshuffle_core.c, bshuf_blocked_wrap_fun).
constexpr uint64_t kGroup = 8;

enum class BlockCompressor : unsigned { none = 0, lz4 = 2, zstd = 3 };

// bitshuffle_core.c, bshuf_default_block_size.
uint64_t default_block(uint64_t element_size) {
  constexpr uint64_t kTargetBytes = 8192, kLeast = 128;
  return std::max(kTargetBytes / element_size / kGroup * kGroup, kLeast);
}

class Bitshuffle : public Codec {
 public:
  // block_elements: of a chunk without compressor; a compressed chunk has its own.
  Bitshuffle(uint64_t element_size, uint64_t block_elements, BlockCompressor compressor)
      : element_size_(element_size), block_elements_(block_elements), compressor_(compressor) {}

  Bytes decode(Bytes encoded, DecodedSize size) const override {
    Cursor cursor(encoded);
    uint64_t decoded = encoded.size(), block = block_elements_;
    if (compressor_ != BlockCompressor::none) {  // bshuf_h5filter.c: both are big-endian and in bytes
      decoded = cursor.big<uint64_t>();
      block = cursor.big<uint32_t>() / element_size_;
    }
    check_decoded_size("bitshuffle", decoded, size);
    if (block == 0) block = default_block(element_size_);
    if (block % kGroup != 0) throw damaged("bitshuffle: invalid blocks of {} elements", block);
    if (decoded % element_size_ != 0)
      throw damaged("bitshuffle: {} bytes are not a whole number of elements of {} bytes", decoded,
                    element_size_);
    Bytes out(decoded);
    std::span<std::byte> left(out);
    while (left.size() >= kGroup * element_size_) {
      const uint64_t elements = std::min(block, left.size() / element_size_ / kGroup * kGroup);
      const std::span<std::byte> part = left.first(elements * element_size_);
      decode_block(cursor, part);
      left = left.subspan(part.size());
    }
    const ByteSpan rest = cursor.bytes(left.size());
    std::copy(rest.begin(), rest.end(), left.begin());
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const override {
    return compressor_ == BlockCompressor::none ? std::optional(decoded_bytes) : std::nullopt;
  }

 private:
  void decode_block(Cursor& cursor, std::span<std::byte> out) const {
    const size_t count = out.size() / element_size_;
    Bytes bits(out.size()), bytes(out.size());
    if (compressor_ == BlockCompressor::none) {
      const ByteSpan stored = cursor.bytes(out.size());
      std::copy(stored.begin(), stored.end(), bits.begin());
    } else {
      const ByteSpan stored = cursor.bytes(cursor.big<uint32_t>());
      (compressor_ == BlockCompressor::lz4 ? decode_lz4_block : decode_zstd_block)(stored, bits);
    }
    for (size_t byte = 0; byte < element_size_; ++byte)
      join_bit_planes(bits.data() + byte * count, count, bytes.data() + byte * count);
    join_byte_planes(bytes.data(), count, element_size_, out.data());
  }

  const uint64_t element_size_;
  const uint64_t block_elements_;
  const BlockCompressor compressor_;
};

}  // namespace

// Client data: two numbers of its version, the size of an element, that of a block in elements, the
// compressor, its level. The writer omits the last ones if they are 0 or have no meaning.
CodecPtr bitshuffle_codec(std::span<const unsigned> client_data, uint64_t element_size) {
  const auto value = [&](size_t i) { return i < client_data.size() ? client_data[i] : 0u; };
  const uint64_t size = value(2) == 0 ? element_size : value(2);
  const auto compressor = static_cast<BlockCompressor>(value(4));
  if (compressor != BlockCompressor::none && compressor != BlockCompressor::lz4 &&
      compressor != BlockCompressor::zstd)
    return nullptr;
  return std::make_unique<Bitshuffle>(size, value(3), compressor);
}

}  // namespace plainfs
