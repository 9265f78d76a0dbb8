#include "formats/core/unpacked/byte_source.h"

#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cache/request.h"
#include "formats/core/base/error.h"
#include "formats/core/unpacked/block_sources.h"
#include "formats/core/unpacked/input.h"

namespace plainfs::unpacked {
namespace {

class XzSource final : public ByteSource {
 public:
  explicit XzSource(FilePtr file) : input_(std::move(file)) {
    if (lzma_stream_decoder(&stream_, kMaxXzMemory, LZMA_CONCATENATED) != LZMA_OK)
      throw unreadable("liblzma cannot be started");
  }
  ~XzSource() override { lzma_end(&stream_); }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;

  size_t read(std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size() && !has_ended_) {
      const bool more = input_.refill();
      const ByteSpan input = input_.unused();
      stream_.next_in = reinterpret_cast<const uint8_t*>(input.data());
      stream_.avail_in = input.size();
      stream_.next_out = reinterpret_cast<uint8_t*>(out.data() + done);
      stream_.avail_out = out.size() - done;
      const lzma_ret result = lzma_code(&stream_, more ? LZMA_RUN : LZMA_FINISH);
      if (result == LZMA_BUF_ERROR || (result == LZMA_OK && !more && stream_.avail_out > 0))
        throw input_ends_early();
      if (result != LZMA_OK && result != LZMA_STREAM_END)
        throw damaged("the xz data are invalid: error {}", static_cast<int>(result));
      input_.take(input.size() - stream_.avail_in);
      done = out.size() - stream_.avail_out;
      has_ended_ = result == LZMA_STREAM_END;
    }
    return done;
  }

 private:
  Input input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool has_ended_ = false;
};

}  // namespace

uint64_t ByteSource::skip(uint64_t size) {
  Bytes passed(std::min<uint64_t>(size, kInputBytes));
  uint64_t done = 0;
  while (done < size) {
    check_cancelled();
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(passed.size(), size - done));
    const size_t some = read(std::span(passed).first(wanted));
    done += some;
    if (some < wanted) break;
  }
  return done;
}

Compression compression_of(ByteSpan first_bytes) {
  const std::string_view text = as_text(first_bytes);
  if (text.starts_with("\x1f\x8b")) return Compression::gzip;
  if (text.starts_with("BZh")) return Compression::bzip2;
  if (text.starts_with(std::string_view("\xfd"
                                        "7zXZ\0",
                                        6))) {
    return Compression::xz;
  }
  if (text.starts_with("\x28\xb5\x2f\xfd")) return Compression::zstd;
  if (is_qs2(first_bytes)) return Compression::qs2;
  if (is_qs(first_bytes)) return Compression::qs;
  return Compression::none;
}

std::string name_of(Compression compression) {
  switch (compression) {
    case Compression::none:
      return "none";
    case Compression::gzip:
      return "gzip";
    case Compression::bzip2:
      return "bzip2";
    case Compression::xz:
      return "xz";
    case Compression::zstd:
      return "zstd";
    case Compression::qs2:
      return "qs2";
    case Compression::qs:
      break;
  }
  return "qs";
}

Bytes beginning_of_gzip(ByteSpan first_bytes, size_t most) {
  constexpr int kGzipOnly = 15 + 16;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return {};
  Bytes unpacked(most);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(first_bytes.data()));
  stream.avail_in = static_cast<uInt>(first_bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
  stream.avail_out = static_cast<uInt>(most);
  inflate(&stream, Z_SYNC_FLUSH);
  unpacked.resize(most - stream.avail_out);
  inflateEnd(&stream);
  return unpacked;
}

std::unique_ptr<ByteSource> open_source(FilePtr file, Compression compression, std::vector<SeekPoint>* points,
                                        size_t max_gzip_points) {
  switch (compression) {
    case Compression::none:
      return std::make_unique<FileSource>(std::move(file));
    case Compression::gzip:
      return gzip_source(std::move(file), {}, points, max_gzip_points);
    case Compression::bzip2:
      return bzip2_source(std::move(file), {}, points);
    case Compression::zstd:
      return zstd_source(std::move(file), {}, points);
    case Compression::qs2:
      return qs2_source(std::move(file), {}, points);
    case Compression::qs:
      return qs_source(file, {}, points);
    case Compression::xz:
      break;
  }
  if (points) *points = xz_blocks(*file);
  return std::make_unique<XzSource>(std::move(file));
}

std::unique_ptr<ByteSource> resume_source(FilePtr file, Compression compression, const SeekPoint& point) {
  if (point.input == 0) return open_source(std::move(file), compression);
  switch (compression) {
    case Compression::gzip:
      return gzip_source(std::move(file), point, nullptr);
    case Compression::bzip2:
      return bzip2_source(std::move(file), point, nullptr);
    case Compression::xz:
      return xz_source(std::move(file), point);
    case Compression::zstd:
      return zstd_source(std::move(file), point, nullptr);
    case Compression::qs2:
      return qs2_source(std::move(file), point, nullptr);
    case Compression::qs:
      return qs_source(file, point, nullptr);
    case Compression::none:
      break;
  }
  throw unsupported("{} data have no restart points", name_of(compression));
}

}  // namespace plainfs::unpacked
