#include "formats/core/codecs/compress.h"

#include <blosc.h>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <stdexcept>

#include "formats/core/base/encode.h"
#include "formats/core/base/error.h"

namespace plainfs {
namespace {

constexpr int kMaxFastLevel =
    3;  // ISA-L deflates up to this level: twice as fast as libdeflate, slightly larger

// Returns a compressor. It is large and slow to create, so each thread keeps the one that it used last.
libdeflate_compressor* thread_compressor(int level) {
  struct Kept {
    int level = 0;
    std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> it{nullptr,
                                                                                libdeflate_free_compressor};
  };
  thread_local Kept kept;
  if (!kept.it || kept.level != level) {
    kept.it.reset(libdeflate_alloc_compressor(level));
    kept.level = level;
  }
  if (!kept.it) throw std::bad_alloc();
  return kept.it.get();
}

std::logic_error deflate_failed() {
  return std::logic_error("a deflater does not take its input");
}

Bytes fast_deflated_part(ByteSpan bytes, int level) {
  constexpr uint32_t kRoom[] = {0, ISAL_DEF_LVL1_DEFAULT, ISAL_DEF_LVL2_DEFAULT, ISAL_DEF_LVL3_DEFAULT};
  const auto room = std::make_unique_for_overwrite<uint8_t[]>(kRoom[level]);
  // At most the size of stored blocks of 64 KiB, and the block that ends at a byte boundary.
  Bytes out(bytes.size() + bytes.size() / 1024 + 1024);
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.level = static_cast<uint32_t>(level);
  stream.level_buf = room.get();
  stream.level_buf_size = kRoom[level];
  stream.gzip_flag = IGZIP_DEFLATE;
  stream.flush = FULL_FLUSH;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uint32_t>(bytes.size());
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = static_cast<uint32_t>(out.size());
  if (isal_deflate(&stream) != COMP_OK || stream.avail_in != 0 || stream.avail_out == 0)
    throw deflate_failed();
  out.resize(stream.total_out);
  return out;
}

// The position of the last block of a deflate stream, in bits.
struct BlockPlace {
  uint64_t begin;
  uint64_t end;
};

// Finds the last block by inflating the stream.
BlockPlace last_block(ByteSpan deflated) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(deflated.data()));
  stream.avail_in = static_cast<uInt>(deflated.size());
  std::array<Bytef, size_t{64} << 10> dropped;
  BlockPlace place{0, 0};
  for (;;) {
    stream.next_out = dropped.data();
    stream.avail_out = dropped.size();
    if (inflate(&stream, Z_BLOCK) != Z_OK) throw deflate_failed();
    constexpr int kUnusedBits = 7, kIsLast = 64, kBetweenBlocks = 128;  // of data_type, see zlib.h
    if ((stream.data_type & kBetweenBlocks) == 0) continue;
    place.end = uint64_t{stream.total_in} * 8 - static_cast<unsigned>(stream.data_type & kUnusedBits);
    if ((stream.data_type & kIsLast) != 0) return place;
    place.begin = place.end;
  }
}

// libdeflate creates only whole streams. So this clears the mark of the last block and appends an empty
// stored block, as zlib's Z_SYNC_FLUSH does.
Bytes small_deflated_part(ByteSpan bytes, int level) {
  libdeflate_compressor* const compressor = thread_compressor(level);
  Bytes out(libdeflate_deflate_compress_bound(compressor, bytes.size()) + 8);
  const size_t size =
      libdeflate_deflate_compress(compressor, bytes.data(), bytes.size(), out.data(), out.size());
  if (size == 0) throw deflate_failed();
  const BlockPlace last = last_block(ByteSpan(out).first(size));
  out[last.begin / 8] &= ~(std::byte{1} << (last.begin % 8));
  // The header of the stored block has three bits, zero like the rest of the last byte.
  out.resize((last.end + 3 + 7) / 8);
  for (size_t i = size; i < out.size(); ++i) out[i] = std::byte{0};
  for (const int byte : {0, 0, 0xff, 0xff}) out.push_back(static_cast<std::byte>(byte));
  return out;
}

}  // namespace

Bytes zlib_deflated(ByteSpan bytes, int level) {
  libdeflate_compressor* const compressor = thread_compressor(level);
  Bytes out(libdeflate_zlib_compress_bound(compressor, bytes.size()));
  out.resize(libdeflate_zlib_compress(compressor, bytes.data(), bytes.size(), out.data(), out.size()));
  if (out.empty()) throw deflate_failed();
  return out;
}

Bytes deflated_part(ByteSpan bytes, int level) {
  return level <= kMaxFastLevel ? fast_deflated_part(bytes, level) : small_deflated_part(bytes, level);
}

Bytes zstd_compressed(ByteSpan bytes, int level) {
  Bytes out(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size)) throw std::bad_alloc();  // no other reason is possible
  out.resize(size);
  return out;
}

Bytes blosc_compressed(ByteSpan bytes, uint32_t element_bytes, int level) {
  if (bytes.size() > BLOSC_MAX_BUFFERSIZE)
    throw unsupported("{} bytes are too many for a blosc frame", bytes.size());
  Bytes out(bytes.size() + BLOSC_MAX_OVERHEAD);
  const int size = blosc_compress_ctx(level, BLOSC_SHUFFLE, element_bytes, bytes.size(), bytes.data(),
                                      out.data(), out.size(), BLOSC_LZ4_COMPNAME, 0, 1);
  if (size <= 0) throw std::bad_alloc();  // no other reason is possible
  out.resize(static_cast<size_t>(size));
  return out;
}

std::string gzip_trailer(uint32_t crc, uint64_t size) {
  std::string trailer;
  append_little(trailer, crc, 4);
  append_little(trailer, size, 4);  // modulo 2^32
  return trailer;
}

uint32_t gzip_crc(ByteSpan bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

uint32_t joined_gzip_crc(uint32_t first, uint32_t second, uint64_t size) {
  return static_cast<uint32_t>(crc32_combine(first, second, static_cast<z_off_t>(size)));
}

}  // namespace plainfs
