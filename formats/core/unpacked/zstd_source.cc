// zstd data (RFC 8878), frame by frame. Each frame decompresses independently.
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "formats/core/base/error.h"
#include "formats/core/unpacked/block_sources.h"

namespace plainfs::unpacked {
namespace {

constexpr size_t kZstdInputBytes = 128 << 10;
constexpr uint64_t kZstdPointEvery = uint64_t{8} << 20;
constexpr int kMaxWindowLog = 27;  // 128 MiB, the most that zstd itself accepts without --long
constexpr size_t kMagicBytes = 4;

struct FreeStream {
  void operator()(ZSTD_DCtx* stream) const { ZSTD_freeDCtx(stream); }
};

[[noreturn]] void fail(size_t result, uint64_t offset) {
  switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
      throw std::bad_alloc();
    case ZSTD_error_frameParameter_windowTooLarge:
      throw unsupported(
          "the zstd data need a window of over 128 MiB: decompress the file, or compress it without --long");
    case ZSTD_error_dictionary_wrong:
      throw unsupported("the zstd data need a dictionary: decompress the file");
    case ZSTD_error_checksum_wrong:
      throw damaged(
          "the zstd data are invalid: wrong checksum, near byte {}; copy or download the file again", offset);
    default:
      throw damaged("the zstd data are invalid near byte {}; copy or download the file again", offset);
  }
}

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(FilePtr file, const SeekPoint& point, std::vector<SeekPoint>* points)
      : file_(std::move(file)),
        offset_(std::min(point.input / 8, file_->size())),
        buffer_(kZstdInputBytes),
        stream_(ZSTD_createDCtx()),
        points_(points) {
    if (!stream_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  }

  size_t read(std::span<std::byte> out) override {
    ZSTD_outBuffer decoded{out.data(), out.size(), 0};
    while (decoded.pos < decoded.size) {
      if (is_between_ && !begin_frame()) break;
      if (in_.pos == in_.size && !has_more_ && !refill())
        throw damaged("the compressed data are truncated; copy or download the file again");
      const size_t before = decoded.pos;
      const size_t result = ZSTD_decompressStream(stream_.get(), &decoded, &in_);
      if (ZSTD_isError(result)) fail(result, offset_ - (in_.size - in_.pos));
      output_ += decoded.pos - before;
      is_between_ = result == 0;
      has_more_ = result != 0 && decoded.pos == decoded.size;
    }
    return decoded.pos;
  }

 private:
  // Returns false if no further frame begins here.
  bool begin_frame() {
    if (in_.size - in_.pos < kMagicBytes && !refill()) return false;
    const auto* const magic = static_cast<const uint8_t*>(in_.src) + in_.pos;
    const bool is_first = output_ == 0;
    const bool is_frame = magic[0] == 0x28 && magic[1] == 0xb5 && magic[2] == 0x2f && magic[3] == 0xfd;
    const bool is_skippable =
        (magic[0] & 0xf0) == 0x50 && magic[1] == 0x2a && magic[2] == 0x4d && magic[3] == 0x18;
    if (in_.size - in_.pos < kMagicBytes || (!is_first && !is_frame && !is_skippable)) return false;
    if (points_ && output_ >= next_point_) {
      points_->push_back({output_, (offset_ - (in_.size - in_.pos)) * 8});
      next_point_ = output_ + kZstdPointEvery;
    }
    is_between_ = has_more_ = false;
    return true;
  }

  // Reads more of the file after the bytes that are left. Returns false at the end of the file.
  bool refill() {
    const size_t left = in_.size - in_.pos;
    std::copy_n(buffer_.begin() + static_cast<ptrdiff_t>(in_.pos), left, buffer_.begin());
    const auto more = static_cast<size_t>(std::min<uint64_t>(buffer_.size() - left, file_->size() - offset_));
    file_->read_at(offset_, std::span(buffer_).subspan(left, more));
    offset_ += more;
    in_ = {buffer_.data(), left + more, 0};
    return more > 0;
  }

  const FilePtr file_;
  uint64_t offset_;  // after the data in buffer_
  Bytes buffer_;
  ZSTD_inBuffer in_{buffer_.data(), 0, 0};
  const std::unique_ptr<ZSTD_DCtx, FreeStream> stream_;
  std::vector<SeekPoint>* const points_;
  uint64_t output_ = 0;
  uint64_t next_point_ = kZstdPointEvery;
  bool is_between_ = true;  // between frames
  bool has_more_ = false;   // the decompressor may hold decoded bytes for which there was no room
};

}  // namespace

std::unique_ptr<ByteSource> zstd_source(FilePtr file, const SeekPoint& point,
                                        std::vector<SeekPoint>* points) {
  return std::make_unique<ZstdSource>(std::move(file), point, points);
}

}  // namespace plainfs::unpacked
