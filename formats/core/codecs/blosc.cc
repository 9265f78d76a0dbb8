#include <blosc.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/base/encode.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/codecs/planes.h"

namespace plainfs {
namespace {

// Header: version, versionlz, flags, typesize, then nbytes, blocksize and cbytes as u32 little-endian. If the
// flag "memcpyed" is set, the bytes themselves follow. Otherwise follow the position of each block, a u32
// from the frame's start, and the blocks, each compressed separately (c-blosc README_CHUNK_FORMAT.rst).
constexpr size_t kBloscHeaderBytes = BLOSC_MIN_HEADER_LENGTH;
constexpr int kLastVersion = BLOSC_VERSION_FORMAT;

class Blosc : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    const size_t decoded = check_header(encoded, encoded.size());
    check_decoded_size("blosc", decoded, size);
    return decompress(std::move(encoded), decoded);
  }

  std::optional<Bytes> decode_part(const EncodedSource& encoded, uint64_t decoded_bytes, uint64_t offset,
                                   uint64_t size) const override {
    if (encoded.size < kBloscHeaderBytes) return std::nullopt;
    const Bytes header = encoded.read(0, kBloscHeaderBytes);
    if (check_header(header, encoded.size) != decoded_bytes) return std::nullopt;
    if (is_copy(header)) {
      if (encoded.size < kBloscHeaderBytes + decoded_bytes) return std::nullopt;
      return encoded.read(kBloscHeaderBytes + offset, size);
    }
    const std::optional<Blocks> blocks = blocks_of(encoded, header, decoded_bytes, offset, size);
    if (!blocks) return std::nullopt;
    const Bytes decoded = decompress(frame_of(encoded, header, *blocks), blocks->decoded_bytes);
    const auto first = decoded.begin() + static_cast<ptrdiff_t>(offset - blocks->decoded_offset);
    return Bytes(first, first + static_cast<ptrdiff_t>(size));
  }

  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }

 private:
  // Consecutive blocks of a frame.
  struct Blocks {
    uint64_t decoded_offset;
    uint64_t decoded_bytes;
    std::vector<std::pair<uint64_t, uint64_t>> places;  // begin and end of each in the frame
  };

  // The _ctx function neither takes the library's global lock nor starts threads.
  static Bytes decompress(Bytes frame, size_t decoded) {
    Bytes out(decoded);
    if (decoded == 0) return out;
    const bool has_single_bytes = has_shuffled_bits(frame) && static_cast<int>(frame[3]) == 1;
    if (has_single_bytes) frame[2] &= ~std::byte{BLOSC_DOBITSHUFFLE};
    const int written = blosc_decompress_ctx(frame.data(), out.data(), out.size(), 1);
    if (written < 0 || static_cast<size_t>(written) != decoded) throw damaged("blosc: error {}", written);
    if (has_single_bytes) unshuffle_blocks(out, load_little<uint32_t>(&frame[8]));
    return out;
  }

  static void unshuffle_blocks(std::span<std::byte> bytes, size_t block) {
    Bytes shuffled(std::min(block, bytes.size()));
    while (!bytes.empty()) {
      const size_t size = std::min(block, bytes.size());
      if (size % 8 == 0) {  // otherwise the block is unchanged (shuffle.c, blosc_internal_bitshuffle)
        std::memcpy(shuffled.data(), bytes.data(), size);
        join_bit_planes(shuffled.data(), size, bytes.data());
      }
      bytes = bytes.subspan(size);
    }
  }

  // Returns the decoded size. blosc_decompress_ctx does not know the length of its source, so the size in the
  // header must be that of the frame.
  static size_t check_header(ByteSpan encoded, uint64_t encoded_size) {
    if (encoded.size() < kBloscHeaderBytes)
      throw damaged("blosc: {} bytes are too short for a frame", encoded.size());
    const int version = static_cast<int>(encoded[0]);
    if (version < 1 || version > kLastVersion) throw damaged("blosc: unknown frame version {}", version);
    // Old versions of z5 left BLOSC_MAX_OVERHEAD bytes of their buffer after the frame.
    const size_t frame = load_little<uint32_t>(&encoded[12]);
    const bool has_rest = encoded_size == frame + BLOSC_MAX_OVERHEAD;
    size_t decoded = 0;
    // Looks at the header only.
    if (blosc_cbuffer_validate(encoded.data(), has_rest ? frame : encoded_size, &decoded) < 0)
      throw damaged("blosc: the frame has {1} bytes, expected {0}", frame, encoded_size);
    const uint32_t block = load_little<uint32_t>(&encoded[8]);
    if (decoded > 0 && (block == 0 || static_cast<int>(encoded[3]) == 0))
      throw damaged("blosc: invalid blocks of {} bytes", block);
    return decoded;
  }

  static bool has_shuffled_bits(ByteSpan header) {
    return (header[2] & std::byte{BLOSC_DOBITSHUFFLE}) != std::byte{0} && !is_copy(header);
  }

  static bool is_copy(ByteSpan header) { return (header[2] & std::byte{BLOSC_MEMCPYED}) != std::byte{0}; }

  // Returns the blocks that contain the part; nullopt if they are most of the frame or are not at valid
  // positions.
  static std::optional<Blocks> blocks_of(const EncodedSource& encoded, ByteSpan header,
                                         uint64_t decoded_bytes, uint64_t offset, uint64_t size) {
    const uint64_t block = load_little<uint32_t>(&header[8]);
    const uint64_t frame_end = load_little<uint32_t>(&header[12]);
    const uint64_t count = divide_up(decoded_bytes, block);
    uint64_t first = offset / block;
    const uint64_t end = divide_up(offset + size, block);
    // The library rejects a frame that is shorter than one block.
    if (first + 1 == count && first > 0) --first;
    if (end - first > count / 2) return std::nullopt;
    const uint64_t table_end = kBloscHeaderBytes + 4 * count;
    if (table_end > frame_end) return std::nullopt;
    const Bytes table = encoded.read(kBloscHeaderBytes, 4 * count);
    std::vector<uint64_t> starts(count);
    for (uint64_t i = 0; i < count; ++i) starts[i] = load_little<uint32_t>(&table[4 * i]);
    std::vector<uint64_t> in_order = starts;  // threads may have written them in any order
    in_order.push_back(frame_end);
    std::sort(in_order.begin(), in_order.end());
    Blocks blocks{first * block, std::min(end * block, decoded_bytes) - first * block, {}};
    for (uint64_t i = first; i < end; ++i) {
      const auto next = std::upper_bound(in_order.begin(), in_order.end(), starts[i]);
      if (starts[i] < table_end || next == in_order.end()) return std::nullopt;
      blocks.places.emplace_back(starts[i], std::min(*next, frame_end));
    }
    return blocks;
  }

  // Returns a frame of these blocks only.
  static Bytes frame_of(const EncodedSource& encoded, ByteSpan header, const Blocks& blocks) {
    Bytes frame(header.begin(), header.end());
    frame.resize(kBloscHeaderBytes + 4 * blocks.places.size());
    for (size_t i = 0; i < blocks.places.size(); ++i) {
      put_little(&frame[kBloscHeaderBytes + 4 * i], frame.size(), 4);
      const auto [begin, end] = blocks.places[i];
      const Bytes stored = encoded.read(begin, end - begin);
      frame.insert(frame.end(), stored.begin(), stored.end());
    }
    put_little(&frame[4], blocks.decoded_bytes, 4);
    put_little(&frame[12], frame.size(), 4);
    return frame;
  }
};

}  // namespace

CodecPtr blosc_codec() {
  return std::make_unique<Blosc>();
}

}  // namespace plainfs
