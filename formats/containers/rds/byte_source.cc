#include "formats/containers/rds/byte_source.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "formats/core/base/error.h"

namespace plainfs::rds {
namespace {

constexpr size_t kInputBytes = 64 << 10;

class FileSource final : public ByteSource {
 public:
  explicit FileSource(FilePtr file) : file_(std::move(file)) {}

  size_t read(std::span<std::byte> out) override {
    const auto size = static_cast<size_t>(std::min<uint64_t>(out.size(), file_->size() - offset_));
    file_->read_at(offset_, out.first(size));
    offset_ += size;
    return size;
  }

 private:
  FilePtr file_;
  uint64_t offset_ = 0;
};

// What one call of a decompressor did.
struct Step {
  size_t consumed = 0;
  size_t produced = 0;
  bool stream_ended = false;
};

// Feeds a Stream from a file. A Stream has step(input, output), which throws for damaged data, and reset(),
// which begins with another stream.
template <class Stream>
class Decompressed final : public ByteSource {
 public:
  explicit Decompressed(FilePtr file) : file_(std::move(file)), input_(kInputBytes) {}

  size_t read(std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      if (unused_.empty()) refill();
      if (between_streams_) {
        if (unused_.empty()) break;
        stream_.reset();
        between_streams_ = false;
      }
      const Step step = stream_.step(unused_, out.subspan(done));
      if (step.consumed == 0 && step.produced == 0 && !step.stream_ended) {
        throw damaged("the compressed data end too early");
      }
      unused_ = unused_.subspan(step.consumed);
      done += step.produced;
      between_streams_ = step.stream_ended;
    }
    return done;
  }

 private:
  void refill() { unused_ = ByteSpan(input_).first(file_.read(input_)); }

  FileSource file_;
  Bytes input_;
  ByteSpan unused_;
  Stream stream_;
  bool between_streams_ = false;
};

auto input_pointer(ByteSpan input) {
  return const_cast<char*>(reinterpret_cast<const char*>(input.data()));
}

class GzipStream {
 public:
  GzipStream() {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw unreadable("zlib cannot start");
  }
  ~GzipStream() { inflateEnd(&stream_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  void reset() { inflateReset(&stream_); }

  Step step(ByteSpan input, std::span<std::byte> output) {
    const auto room = static_cast<uInt>(std::min<size_t>(output.size(), 1 << 30));
    stream_.next_in = reinterpret_cast<Bytef*>(input_pointer(input));
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(output.data());
    stream_.avail_out = room;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      throw damaged("the gzip data are wrong: {}", stream_.msg ? stream_.msg : "no reason given");
    }
    return {input.size() - stream_.avail_in, room - stream_.avail_out, result == Z_STREAM_END};
  }

 private:
  z_stream stream_{};
};

class Bzip2Stream {
 public:
  Bzip2Stream() { start(); }
  ~Bzip2Stream() { BZ2_bzDecompressEnd(&stream_); }
  Bzip2Stream(const Bzip2Stream&) = delete;
  Bzip2Stream& operator=(const Bzip2Stream&) = delete;

  void reset() {
    BZ2_bzDecompressEnd(&stream_);
    start();
  }

  Step step(ByteSpan input, std::span<std::byte> output) {
    const auto room = static_cast<unsigned>(std::min<size_t>(output.size(), 1 << 30));
    stream_.next_in = input_pointer(input);
    stream_.avail_in = static_cast<unsigned>(input.size());
    stream_.next_out = reinterpret_cast<char*>(output.data());
    stream_.avail_out = room;
    const int result = BZ2_bzDecompress(&stream_);
    if (result != BZ_OK && result != BZ_STREAM_END)
      throw damaged("the bzip2 data are wrong: error {}", result);
    return {input.size() - stream_.avail_in, room - stream_.avail_out, result == BZ_STREAM_END};
  }

 private:
  void start() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw unreadable("bzip2 cannot start");
  }

  bz_stream stream_{};
};

class XzStream {
 public:
  XzStream() { start(); }
  ~XzStream() { lzma_end(&stream_); }
  XzStream(const XzStream&) = delete;
  XzStream& operator=(const XzStream&) = delete;

  void reset() {
    lzma_end(&stream_);
    start();
  }

  Step step(ByteSpan input, std::span<std::byte> output) {
    stream_.next_in = reinterpret_cast<const uint8_t*>(input.data());
    stream_.avail_in = input.size();
    stream_.next_out = reinterpret_cast<uint8_t*>(output.data());
    stream_.avail_out = output.size();
    const lzma_ret result = lzma_code(&stream_, LZMA_RUN);
    if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR) {
      throw damaged("the xz data are wrong: error {}", static_cast<int>(result));
    }
    return {input.size() - stream_.avail_in, output.size() - stream_.avail_out, result == LZMA_STREAM_END};
  }

 private:
  void start() {
    constexpr uint64_t kMostMemory = 256 << 20;  // xz -9 needs 65 MiB
    stream_ = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream_, kMostMemory, 0) != LZMA_OK) throw unreadable("liblzma cannot start");
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

Compression compression_of(ByteSpan first_bytes) {
  const std::string_view text = as_text(first_bytes);
  if (text.starts_with("\x1f\x8b")) return Compression::gzip;
  if (text.starts_with("BZh")) return Compression::bzip2;
  if (text.starts_with(std::string_view("\xfd"
                                        "7zXZ\0",
                                        6))) {
    return Compression::xz;
  }
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
      break;
  }
  return "xz";
}

std::unique_ptr<ByteSource> open_source(FilePtr file, Compression compression) {
  switch (compression) {
    case Compression::none:
      return std::make_unique<FileSource>(std::move(file));
    case Compression::gzip:
      return std::make_unique<Decompressed<GzipStream>>(std::move(file));
    case Compression::bzip2:
      return std::make_unique<Decompressed<Bzip2Stream>>(std::move(file));
    case Compression::xz:
      break;
  }
  return std::make_unique<Decompressed<XzStream>>(std::move(file));
}

}  // namespace plainfs::rds
