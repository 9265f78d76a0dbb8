#include <blosc.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

// Header: version, versionlz, flags, typesize, then nbytes, blocksize and cbytes as u32 little-endian. Behind
// it the bytes themselves where the flag "memcpyed" is set; else the place of each block, a u32 from the
// frame's start, and the blocks, each compressed by itself (c-blosc README_CHUNK_FORMAT.rst).
constexpr size_t kBloscHeaderBytes = BLOSC_MIN_HEADER_LENGTH;
constexpr int kLastVersion = BLOSC_VERSION_FORMAT;

void store_little(std::byte* at, uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::byte>(value >> 8 * i);
}

// Bits of elements of one byte, put back: row b of the block has bit b of each element. The library does that
// bit by bit for elements of an odd size (c-blosc 1.21, bitshuffle-sse2.c), and VCF Zarr keeps all its calls
// so.
using Lanes = uint64_t __attribute__((vector_size(16)));
using LaneBytes = uint8_t __attribute__((vector_size(16)));
constexpr size_t kLaneBytes = sizeof(Lanes);

// Exchanges the bits of `low` that stand in (mask << shift) for those of `high` that stand in mask.
void exchange_bits(Lanes& low, Lanes& high, int shift, uint64_t mask) {
  const Lanes differ = ((low >> shift) ^ high) & (Lanes{} + mask);
  high ^= differ;
  low ^= differ << shift;
}

// rows[b], bit k of a byte: bit b of element k. Left behind: elements k of all bytes in rows[k].
void transpose_bits(Lanes (&rows)[8]) {
  for (const int r : {0, 1, 2, 3}) exchange_bits(rows[r], rows[r + 4], 4, 0x0f0f0f0f0f0f0f0f);
  for (const int r : {0, 1, 4, 5}) exchange_bits(rows[r], rows[r + 2], 2, 0x3333333333333333);
  for (const int r : {0, 2, 4, 6}) exchange_bits(rows[r], rows[r + 1], 1, 0x5555555555555555);
}

// The bytes of a and b in turn, the first halves and the second.
std::pair<LaneBytes, LaneBytes> interleaved(LaneBytes a, LaneBytes b) {
  return {__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
          __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)};
}

// Elements of 16 bytes of each row, in order: a byte of each row in turn.
void write_in_turn(const Lanes (&rows)[8], std::byte* out) {
  LaneBytes bytes[8];
  std::memcpy(bytes, rows, sizeof bytes);
  // All 128 bytes in turn from their first half and their second, three times.
  for (int step = 0; step < 3; ++step) {
    LaneBytes shuffled[8];
    for (int r = 0; r < 4; ++r)
      std::tie(shuffled[2 * r], shuffled[2 * r + 1]) = interleaved(bytes[r], bytes[r + 4]);
    std::memcpy(bytes, shuffled, sizeof bytes);
  }
  std::memcpy(out, bytes, sizeof bytes);
}

// Requires: size is a multiple of 8.
void unshuffle_bits(const std::byte* shuffled, size_t size, std::byte* out) {
  const size_t row_bytes = size / 8;
  size_t at = 0;
  for (; at + kLaneBytes <= row_bytes; at += kLaneBytes) {
    Lanes rows[8];
    for (size_t r = 0; r < 8; ++r) std::memcpy(&rows[r], shuffled + r * row_bytes + at, kLaneBytes);
    transpose_bits(rows);
    write_in_turn(rows, out + 8 * at);
  }
  for (size_t i = 8 * at; i < size; ++i) {
    unsigned element = 0;
    for (size_t bit = 0; bit < 8; ++bit)
      element |= (static_cast<unsigned>(shuffled[bit * row_bytes + i / 8]) >> i % 8 & 1) << bit;
    out[i] = static_cast<std::byte>(element);
  }
}

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
  // Some blocks of a frame, one after the other.
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
    if (written < 0 || static_cast<size_t>(written) != decoded)
      throw damaged("blosc: decoding failed with {}", written);
    if (has_single_bytes) unshuffle_blocks(out, load_little<uint32_t>(&frame[8]));
    return out;
  }

  static void unshuffle_blocks(std::span<std::byte> bytes, size_t block) {
    Bytes shuffled(std::min(block, bytes.size()));
    while (!bytes.empty()) {
      const size_t size = std::min(block, bytes.size());
      if (size % 8 == 0) {  // else the block is as it was (shuffle.c, blosc_internal_bitshuffle)
        std::memcpy(shuffled.data(), bytes.data(), size);
        unshuffle_bits(shuffled.data(), size, bytes.data());
      }
      bytes = bytes.subspan(size);
    }
  }

  // The decoded size. blosc_decompress_ctx does not know how long its source is, so the header's own size has
  // to be the size at hand.
  static size_t check_header(ByteSpan encoded, uint64_t encoded_size) {
    if (encoded.size() < kBloscHeaderBytes) throw damaged("blosc: {} bytes are no frame", encoded.size());
    const int version = static_cast<int>(encoded[0]);
    if (version < 1 || version > kLastVersion) throw damaged("blosc: frame version {}", version);
    // Old z5 left BLOSC_MAX_OVERHEAD bytes of its buffer behind the frame.
    const size_t frame = load_little<uint32_t>(&encoded[12]);
    const bool has_rest = encoded_size == frame + BLOSC_MAX_OVERHEAD;
    size_t decoded = 0;
    // Looks at the header only.
    if (blosc_cbuffer_validate(encoded.data(), has_rest ? frame : encoded_size, &decoded) < 0)
      throw damaged("blosc: the frame says {} bytes, {} are there", frame, encoded_size);
    const uint32_t block = load_little<uint32_t>(&encoded[8]);
    if (decoded > 0 && (block == 0 || static_cast<int>(encoded[3]) == 0))
      throw damaged("blosc: blocks of {} bytes", block);
    return decoded;
  }

  static bool has_shuffled_bits(ByteSpan header) {
    return (header[2] & std::byte{BLOSC_DOBITSHUFFLE}) != std::byte{0} && !is_copy(header);
  }

  static bool is_copy(ByteSpan header) { return (header[2] & std::byte{BLOSC_MEMCPYED}) != std::byte{0}; }

  // The blocks that hold the part; nullopt where they are most of the frame or are not where they should be.
  static std::optional<Blocks> blocks_of(const EncodedSource& encoded, ByteSpan header,
                                         uint64_t decoded_bytes, uint64_t offset, uint64_t size) {
    const uint64_t block = load_little<uint32_t>(&header[8]);
    const uint64_t frame_end = load_little<uint32_t>(&header[12]);
    const uint64_t count = divide_up(decoded_bytes, block);
    uint64_t first = offset / block;
    const uint64_t end = divide_up(offset + size, block);
    // The library does not take a frame that is shorter than one block.
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

  // A frame of these blocks alone.
  static Bytes frame_of(const EncodedSource& encoded, ByteSpan header, const Blocks& blocks) {
    Bytes frame(header.begin(), header.end());
    frame.resize(kBloscHeaderBytes + 4 * blocks.places.size());
    for (size_t i = 0; i < blocks.places.size(); ++i) {
      store_little(&frame[kBloscHeaderBytes + 4 * i], static_cast<uint32_t>(frame.size()));
      const auto [begin, end] = blocks.places[i];
      const Bytes stored = encoded.read(begin, end - begin);
      frame.insert(frame.end(), stored.begin(), stored.end());
    }
    store_little(&frame[4], static_cast<uint32_t>(blocks.decoded_bytes));
    store_little(&frame[12], static_cast<uint32_t>(frame.size()));
    return frame;
  }
};

}  // namespace

CodecPtr blosc_codec() {
  return std::make_unique<Blosc>();
}

}  // namespace plainfs
