#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

#include "formats/core/codecs/blocks.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_DCtx* thread_context() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  return context.get();
}

std::string_view reason(ZSTD_ErrorCode code) {
  switch (code) {
    case ZSTD_error_prefix_unknown:
      return "a frame does not begin with the magic number";
    case ZSTD_error_corruption_detected:
      return "a block is damaged";
    case ZSTD_error_checksum_wrong:
      return "the content does not match its checksum";
    case ZSTD_error_dstSize_tooSmall:
      return "the content is longer than expected";
    case ZSTD_error_srcSize_wrong:
      return "the data end within a frame";
    case ZSTD_error_dictionary_wrong:
      return "a frame needs a dictionary";
    case ZSTD_error_frameParameter_windowTooLarge:
      return "the window is over 128 MiB";
    default:
      return "a frame is damaged";
  }
}

[[noreturn]] void fail(size_t result) {
  const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
  if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
  if (code == ZSTD_error_dictionary_wrong || code == ZSTD_error_frameParameter_windowTooLarge)
    throw undecodable("zstd: {}", reason(code));
  throw damaged("zstd: {}", reason(code));
}

Bytes decode_exactly(ByteSpan encoded, uint64_t bytes) {
  Bytes out(bytes);
  decode_zstd_block(encoded, out);
  return out;
}

Bytes decode_growing(ByteSpan encoded, DecodedSize size) {
  ZSTD_DCtx* context = thread_context();
  ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
  GrowingOutput out("zstd", encoded.size(), size);
  ZSTD_inBuffer in{encoded.data(), encoded.size(), 0};
  size_t wanted = encoded.empty() ? 1 : 0;  // bytes still needed to end a frame; 0 at the end of one
  bool full = false;
  while (in.pos < in.size || full) {
    out.make_room();
    ZSTD_outBuffer part{out.free_data(), out.free_size(), 0};
    wanted = ZSTD_decompressStream(context, &part, &in);
    if (ZSTD_isError(wanted)) fail(wanted);
    out.advance(part.pos);
    full = part.pos == part.size && wanted != 0;
  }
  if (wanted != 0) throw damaged("zstd: the last frame is truncated");
  return out.finish();
}

// Returns whether the source is one frame that states a content of `bytes` bytes and has no checksum, which
// only its end would verify. (RFC 8878, 3.1.1: the magic number, a descriptor, then blocks behind headers of
// 3 bytes.)
bool is_plain_frame(const EncodedSource& encoded, uint64_t bytes) {
  constexpr uint64_t kLongestHeader = 18, kBlockHeader = 3;
  constexpr unsigned kChecksum = 4, kSingleSegment = 32;
  if (encoded.size < kLongestHeader) return false;
  const Bytes start = encoded.read(0, kLongestHeader);
  const auto descriptor = static_cast<unsigned>(start[4]);
  if (ZSTD_getFrameContentSize(start.data(), start.size()) != bytes || (descriptor & kChecksum) != 0)
    return false;
  constexpr unsigned kDictionaryBytes[] = {0, 1, 2, 4}, kSizeBytes[] = {0, 2, 4, 8};
  const bool single = (descriptor & kSingleSegment) != 0;
  uint64_t at = 5 + !single + kDictionaryBytes[descriptor & 3] + kSizeBytes[descriptor >> 6] +
                (single && descriptor >> 6 == 0);
  for (bool is_last = false; !is_last;) {
    if (at + kBlockHeader > encoded.size) return false;
    const Bytes header = encoded.read(at, kBlockHeader);
    const unsigned block = static_cast<unsigned>(header[0]) | static_cast<unsigned>(header[1]) << 8 |
                           static_cast<unsigned>(header[2]) << 16;
    is_last = (block & 1) != 0;
    const bool is_run = (block >> 1 & 3) == 1;
    at += kBlockHeader + (is_run ? 1 : block >> 3);
  }
  return at == encoded.size;
}

// Returns the first bytes, and reads no more of the frame than they need.
Bytes decode_start(const EncodedSource& encoded, uint64_t bytes) {
  constexpr uint64_t kPiece = 128 << 10;
  ZSTD_DCtx* context = thread_context();
  ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
  Bytes out(bytes);
  ZSTD_outBuffer decoded{out.data(), out.size(), 0};
  for (uint64_t at = 0; decoded.pos < decoded.size && at < encoded.size;) {
    const Bytes piece = encoded.read(at, std::min(kPiece, encoded.size - at));
    at += piece.size();
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    while (in.pos < in.size && decoded.pos < decoded.size)
      if (const size_t result = ZSTD_decompressStream(context, &decoded, &in); ZSTD_isError(result))
        fail(result);
  }
  if (decoded.pos < decoded.size) throw damaged("zstd: the data end after {} decoded bytes", decoded.pos);
  return out;
}

class Zstd : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    return size.exact ? decode_exactly(encoded, size.bytes) : decode_growing(encoded, size);
  }
  std::optional<Bytes> decode_part(const EncodedSource& encoded, uint64_t decoded_bytes, uint64_t offset,
                                   uint64_t size) const override {
    if (offset + size > decoded_bytes / 4 * 3 || !is_plain_frame(encoded, decoded_bytes)) return std::nullopt;
    const Bytes start = decode_start(encoded, offset + size);
    return Bytes(start.begin() + static_cast<ptrdiff_t>(offset), start.end());
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
};

}  // namespace

void decode_zstd_block(ByteSpan encoded, std::span<std::byte> out) {
  const size_t written =
      ZSTD_decompressDCtx(thread_context(), out.data(), out.size(), encoded.data(), encoded.size());
  if (ZSTD_isError(written)) fail(written);
  check_decoded_size("zstd", written, DecodedSize::exactly(out.size()));
}

CodecPtr zstd_codec() {
  return std::make_unique<Zstd>();
}

}  // namespace plainfs
