#include "formats/core/unpacked/byte_source.h"

#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>

#include "cache/request.h"
#include "formats/core/base/error.h"
#include "formats/core/codecs/inflate.h"
#include "formats/core/unpacked/block_sources.h"

namespace plainfs::unpacked {
namespace {

constexpr size_t kInputBytes = 64 << 10;
constexpr uint64_t kPointEvery = uint64_t{8} << 20;
// For gzip: how many of the last ends of blocks are candidates for keep_place(), and how many it may keep.
constexpr size_t kLastPlaces = 16, kMostKeptPlaces = 256;

class FileSource final : public ByteSource {
 public:
  explicit FileSource(FilePtr file, uint64_t offset = 0) : file_(std::move(file)), offset_(offset) {}

  size_t read(std::span<std::byte> out) override {
    const auto size = static_cast<size_t>(std::min<uint64_t>(out.size(), file_->size() - offset_));
    file_->read_at(offset_, out.first(size));
    offset_ += size;
    return size;
  }
  uint64_t skip(uint64_t size) override {
    const uint64_t some = std::min(size, file_->size() - offset_);
    offset_ += some;
    return some;
  }

 private:
  FilePtr file_;
  uint64_t offset_;
};

// The part of a file that a decompressor has not consumed.
class Input {
 public:
  explicit Input(FilePtr file, uint64_t offset = 0) : file_(std::move(file), offset), buffer_(kInputBytes) {}

  // Reads from the file if no bytes are left. Returns false at the end of the file.
  bool refill() {
    if (unused_.empty()) unused_ = ByteSpan(buffer_).first(file_.read(buffer_));
    return !unused_.empty();
  }
  // Returns the next size bytes, fewer at the end of the file. size is small.
  ByteSpan peek(size_t size) {
    if (unused_.size() < size) {
      Bytes joined(unused_.begin(), unused_.end());
      joined.resize(kInputBytes);
      const size_t more = file_.read(std::span(joined).subspan(unused_.size()));
      const size_t held = unused_.size() + more;
      buffer_ = std::move(joined);
      unused_ = ByteSpan(buffer_).first(held);
    }
    return unused_.first(std::min(size, unused_.size()));
  }
  ByteSpan unused() const { return unused_; }
  void take(size_t size) {
    unused_ = unused_.subspan(size);
    taken_ += size;
  }
  uint64_t taken() const { return taken_; }

 private:
  FileSource file_;
  Bytes buffer_;
  ByteSpan unused_;
  uint64_t taken_ = 0;
};

Error input_ends_early() {
  return damaged("the compressed data are truncated; copy or download the file again");
}

class GzipSource final : public ByteSource {
 public:
  GzipSource(FilePtr file, std::vector<SeekPoint>* points, size_t most_points)
      : input_(std::move(file)), points_(points), most_points_(most_points) {
    start(kGzipOnly);
  }
  GzipSource(FilePtr file, const SeekPoint& point) : input_(file, point.input / 8) {
    start(kRaw);
    is_raw_ = true;
    is_between_ = false;
    if (const int bits = static_cast<int>(point.input % 8)) {
      if (!input_.refill()) throw input_ends_early();
      const int byte = static_cast<uint8_t>(input_.unused()[0]);
      input_.take(1);
      inflatePrime(&stream_, 8 - bits, byte >> bits);
    }
    if (point.window && !point.window->empty())
      inflateSetDictionary(&stream_, reinterpret_cast<const Bytef*>(point.window->data()),
                           static_cast<uInt>(point.window->size()));
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  size_t read(std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      if (is_between_ && !begin_member()) break;
      if (!input_.refill()) throw input_ends_early();
      done += step(out.subspan(done));
    }
    return done;
  }

  void keep_place(uint64_t offset) override {
    if (!points_ || kept_ == kMostKeptPlaces) return;
    const auto before = [](const SeekPoint& a, const SeekPoint& b) { return a.output < b.output; };
    const SeekPoint wanted{offset};
    const auto after = std::upper_bound(last_places_.begin(), last_places_.end(), wanted, before);
    if (after == last_places_.begin()) return;
    const SeekPoint& place = *std::prev(after);
    const auto at = std::lower_bound(points_->begin(), points_->end(), place, before);
    if (at != points_->end() && at->output == place.output) return;
    points_->insert(at, place);
    ++kept_;
  }

 private:
  static constexpr int kGzipOnly = 15 + 16;
  static constexpr int kRaw = -15;
  static constexpr size_t kTrailerBytes = 8;

  void start(int window_bits) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) throw unreadable("zlib cannot be started");
  }

  // Returns false if no further member begins here.
  bool begin_member() {
    const ByteSpan magic = input_.peek(2);
    const bool is_first = input_.taken() == 0;
    if (!is_first && as_text(magic) != "\x1f\x8b") return false;
    if (magic.empty()) throw input_ends_early();
    inflateReset2(&stream_, kGzipOnly);
    is_raw_ = is_between_ = false;
    return true;
  }

  size_t step(std::span<std::byte> out) {
    const auto room = static_cast<uInt>(std::min<size_t>(out.size(), 1 << 30));
    const ByteSpan input = input_.unused();
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = room;
    const int result = inflate(&stream_, points_ ? Z_BLOCK : Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END)
      throw damaged("the gzip data are invalid: {}, near byte {}; copy or download the file again",
                    fault_of_zlib(stream_.msg), input_.taken());
    const size_t produced = room - stream_.avail_out;
    output_ += produced;
    input_.take(input.size() - stream_.avail_in);
    if (result == Z_STREAM_END)
      end_member();
    else if (points_)
      note_point();
    return produced;
  }

  void end_member() {
    is_between_ = true;
    if (!is_raw_) return;
    for (size_t left = kTrailerBytes; left > 0;) {
      if (!input_.refill()) throw input_ends_early();
      const size_t some = std::min(left, input_.unused().size());
      input_.take(some);
      left -= some;
    }
  }

  void note_point() {
    constexpr int kBlockEnd = 128, kLastBlock = 64, kBits = 7;
    if (!(stream_.data_type & kBlockEnd) || (stream_.data_type & kLastBlock)) return;
    auto window = std::make_shared<Bytes>(kMostWindow);
    uInt size = kMostWindow;
    inflateGetDictionary(&stream_, reinterpret_cast<Bytef*>(window->data()), &size);
    window->resize(size);
    const auto unused_bits = static_cast<uint64_t>(stream_.data_type & kBits);
    if (last_places_.size() == kLastPlaces) last_places_.pop_front();
    last_places_.push_back({output_, input_.taken() * 8 - unused_bits, std::move(window)});
    if (output_ < next_point_) return;
    if (points_->size() >= most_points_ + kept_) thin_out();
    points_->push_back(last_places_.back());
    next_point_ = output_ + point_every_;
  }

  void thin_out() {
    size_t kept = 0;
    for (size_t i = 1; i < points_->size(); i += 2) (*points_)[kept++] = std::move((*points_)[i]);
    points_->resize(kept);
    kept_ = 0;
    point_every_ *= 2;
  }

  Input input_;
  std::vector<SeekPoint>* points_ = nullptr;
  uint64_t output_ = 0;
  size_t most_points_ = 0;
  std::deque<SeekPoint> last_places_;  // ends of blocks
  size_t kept_ = 0;                    // number of points added by keep_place()
  uint64_t point_every_ = kPointEvery;
  uint64_t next_point_ = kPointEvery;
  z_stream stream_{};
  bool is_between_ = true;  // between members
  bool is_raw_ = false;     // started within a member, so zlib does not read its trailer
};

class XzSource final : public ByteSource {
 public:
  explicit XzSource(FilePtr file) : input_(std::move(file)) {
    if (lzma_stream_decoder(&stream_, kMostXzMemory, LZMA_CONCATENATED) != LZMA_OK)
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
                                        size_t most_gzip_points) {
  switch (compression) {
    case Compression::none:
      return std::make_unique<FileSource>(std::move(file));
    case Compression::gzip:
      return std::make_unique<GzipSource>(std::move(file), points, most_gzip_points);
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
      return std::make_unique<GzipSource>(std::move(file), point);
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
