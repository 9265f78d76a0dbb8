// The decoded bytes of files that R's packages qs and qs2 write: blocks that decompress independently. Facts:
// formats/containers/rds/FORMAT.md.
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/core/base/cursor.h"
#include "formats/core/base/error.h"
#include "formats/core/base/inside.h"
#include "formats/core/codecs/planes.h"
#include "formats/core/codecs/xxhash.h"
#include "formats/core/unpacked/block_sources.h"

namespace plainfs::unpacked {
namespace {

constexpr uint64_t kQsPointEvery = uint64_t{8} << 20;
constexpr std::string_view kQsMagic = "\x0b\x0e\x0a\x0c", kQs2Magic = "\x0b\x0e\x0a\xc1",
                           kQdataMagic = "\x0b\x0e\x0a\xcd";

Error qs_ends_early() {
  return damaged("the compressed data are truncated; copy or download the file again");
}
Error wrong_hash(std::string_view format) {
  return damaged("the {} data do not match their checksum; copy or download the file again", format);
}

// A source of blocks, each behind its compressed size.
class BlockSource : public ByteSource {
 public:
  size_t read(std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      if (at_ == size_ && !load()) break;
      const size_t some = std::min(out.size() - done, size_ - at_);
      std::memcpy(out.data() + done, block_.data() + at_, some);
      at_ += some;
      done += some;
    }
    return done;
  }

 protected:
  BlockSource(FilePtr file, uint64_t begin, uint64_t end, size_t max_bytes, const SeekPoint& point,
              std::vector<SeekPoint>* points)
      : file_(std::move(file)),
        end_(end),
        offset_(point.input == 0 ? begin : std::min(point.input / 8, end)),
        block_(max_bytes),
        is_from_beginning_(point.input == 0),
        points_(points) {}

  bool is_from_beginning() const { return is_from_beginning_; }
  Bytes take(size_t size) {
    if (size > end_ - offset_) throw qs_ends_early();
    Bytes bytes = file_->read_at(offset_, size);
    offset_ += size;
    return bytes;
  }
  // Decodes a block into out. Returns its size. header: the bytes before it.
  virtual size_t decode(uint32_t header, std::span<std::byte> out) = 0;
  // Adds what is decoded to the checksum, or checks it at the end, where bytes is empty.
  virtual void check(ByteSpan bytes) = 0;

 private:
  bool load() {
    if (offset_ == end_) {
      if (is_from_beginning_) check({});
      return false;
    }
    if (points_ && output_ >= next_point_) {
      points_->push_back({output_, offset_ * 8});
      next_point_ = output_ + kQsPointEvery;
    }
    const uint32_t header = load_little<uint32_t>(take(sizeof(uint32_t)).data());
    at_ = size_ = 0;
    size_ = decode(header, block_);
    if (size_ == 0) throw damaged("a block at byte {} is empty", offset_);
    output_ += size_;
    if (is_from_beginning_) check(ByteSpan(block_).first(size_));
    return true;
  }

  const FilePtr file_;
  const uint64_t end_;
  uint64_t offset_;
  Bytes block_;
  size_t size_ = 0, at_ = 0;
  const bool is_from_beginning_;
  std::vector<SeekPoint>* const points_;
  uint64_t output_ = 0, next_point_ = kQsPointEvery;
};

size_t decode_zstd(ByteSpan packed, std::span<std::byte> out) {
  const size_t size = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(size)) throw damaged("a block does not decompress: zstd: {}", ZSTD_getErrorName(size));
  return size;
}

class Qs2Source final : public BlockSource {
 public:
  Qs2Source(FilePtr file, const SeekPoint& point, std::vector<SeekPoint>* points)
      : BlockSource(file, kHeader, file->size(), kMaxBlock, point, points),
        stored_hash_(checked_header(*file)) {}

 private:
  static constexpr uint64_t kHeader = 24;
  static constexpr size_t kMaxBlock = 1 << 20;

  // Returns the checksum in the header; 0 if it has none.
  static uint64_t checked_header(const File& file) {
    if (file.size() < kHeader) throw qs_ends_early();
    const Bytes header = file.read_at(0, kHeader);
    const auto byte = [&](size_t at) { return static_cast<unsigned>(header[at]); };
    if (byte(4) > 1) throw unsupported("version {} of the qs2 format, expected 1", byte(4));
    if (byte(5) != 1) throw unsupported("compression {} of the qs2 format, expected 1 (zstd)", byte(5));
    if (byte(6) != 2) throw unsupported("qs2 data of a big-endian machine");
    return load_little<uint64_t>(header.data() + 16);
  }

  size_t decode(uint32_t header, std::span<std::byte> out) override {
    constexpr uint32_t kIsShuffled = uint32_t{1} << 31;
    constexpr size_t kElement = 8;
    const size_t packed_size = header & ~kIsShuffled;
    if (packed_size > ZSTD_compressBound(kMaxBlock))
      throw damaged("a block has {} compressed bytes, expected at most {}", packed_size,
                    ZSTD_compressBound(kMaxBlock));
    const Bytes packed = take(packed_size);
    if (is_from_beginning() && stored_hash_ != 0) {
      hash_.add(ByteSpan(reinterpret_cast<const std::byte*>(&header), sizeof header));
      hash_.add(packed);
    }
    const size_t size = decode_zstd(packed, out);
    if (!(header & kIsShuffled)) return size;
    const size_t whole = size / kElement * kElement;
    planes_.assign(out.begin(), out.begin() + static_cast<ptrdiff_t>(whole));
    join_byte_planes(planes_.data(), whole / kElement, kElement, out.data());
    return size;
  }
  void check(ByteSpan bytes) override {
    if (bytes.empty() && stored_hash_ != 0 && hash_.value() != stored_hash_) throw wrong_hash("qs2");
  }

  const uint64_t stored_hash_;
  Xxh3 hash_;
  Bytes planes_;
};

// The header of a .qs file.
struct QsHeader {
  enum Form : unsigned { zstd, lz4, lz4hc, stream, none };
  uint64_t begin = 0, end = 0;  // of the data
  Form form = zstd;
  unsigned shuffled = 0;  // see qs_shuffled_types()
  std::optional<uint32_t> hash{};
  uint64_t units = 0;  // blocks, or decoded bytes of a stream or of plain data; 0: unknown
};

QsHeader qs_header(const File& file) {
  constexpr uint64_t kFields = 16, kHashBytes = 4;
  QsHeader header;
  const Bytes magic = file.read_at(0, std::min<uint64_t>(kQsMagic.size(), file.size()));
  header.begin = (as_text(magic) == kQsMagic ? kQsMagic.size() : 0) + kFields;
  header.end = file.size();
  if (header.end < header.begin) throw qs_ends_early();
  const Bytes fields = file.read_at(header.begin - kFields, kFields);
  const auto byte = [&](size_t at) { return static_cast<unsigned>(fields[at]); };
  if (load_little<uint32_t>(fields.data()) != 0 || byte(4) > 3)
    throw unsupported("version {} of the qs format, expected at most 3", byte(4));
  if (byte(7) != 0) throw unsupported("qs data of a big-endian machine");
  if (byte(6) >> 4 > QsHeader::none) throw unsupported("compression {} of the qs format", byte(6) >> 4);
  header.form = static_cast<QsHeader::Form>(byte(6) >> 4);
  header.shuffled = byte(6) & 15;
  header.units = load_little<uint64_t>(fields.data() + 8);
  if (byte(5) == 0) return header;
  if (header.end - header.begin < kHashBytes) throw qs_ends_early();
  header.end -= kHashBytes;
  header.hash = load_little<uint32_t>(file.read_at(header.end, kHashBytes).data());
  return header;
}

constexpr uint32_t kQsSeed = 12345;

class QsBlocks final : public BlockSource {
 public:
  QsBlocks(FilePtr file, const QsHeader& header, const SeekPoint& point, std::vector<SeekPoint>* points)
      : BlockSource(std::move(file), header.begin, header.end, kMaxBlock, point, points), header_(header) {}

 private:
  static constexpr size_t kMaxBlock = 524'288, kMaxPacked = kMaxBlock + kMaxBlock / 200 + 1024;

  size_t decode(uint32_t packed_size, std::span<std::byte> out) override {
    if (packed_size > kMaxPacked)
      throw damaged("a block has {} compressed bytes, expected at most {}", packed_size, kMaxPacked);
    const Bytes packed = take(packed_size);
    ++blocks_;
    if (header_.form == QsHeader::zstd) return decode_zstd(packed, out);
    const int size =
        LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(out.data()),
                            static_cast<int>(packed.size()), static_cast<int>(out.size()));
    if (size < 0) throw damaged("a block does not decompress: lz4");
    return static_cast<size_t>(size);
  }
  void check(ByteSpan bytes) override {
    if (header_.hash) hash_.add(bytes);
    if (!bytes.empty()) return;
    if (header_.units != 0 && blocks_ != header_.units) throw qs_ends_early();
    if (header_.hash && hash_.value() != *header_.hash) throw wrong_hash("qs");
  }

  const QsHeader header_;
  Xxh32 hash_{kQsSeed};
  uint64_t blocks_ = 0;
};

// The part of a file between two offsets.
class Slice final : public InnerFile {
 public:
  Slice(const FilePtr& file, uint64_t begin, uint64_t end)
      : InnerFile(file, file->path(), end - begin, begin), begin_(begin) {}

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override {
    outer().read_at(begin_ + offset, out);
  }

  const uint64_t begin_;
};

// The data of a .qs file without blocks, with their checksum.
class QsStream final : public ByteSource {
 public:
  // source: begins with byte `position` of the data.
  QsStream(std::unique_ptr<ByteSource> source, uint64_t position, const QsHeader& header)
      : source_(std::move(source)), header_(header), is_from_beginning_(position == 0), position_(position) {}

  // qs does not end the frame of a stream, so nothing is read after the known number of bytes.
  size_t read(std::span<std::byte> out) override {
    const uint64_t left =
        header_.units == 0 ? out.size() : header_.units - std::min(header_.units, position_);
    const std::span<std::byte> wanted = out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), left)));
    const size_t size = source_->read(wanted);
    position_ += size;
    if (!is_from_beginning_) return size;
    if (header_.hash) hash_.add(ByteSpan(out).first(size));
    if (size == out.size()) return size;
    if (header_.units != 0 && position_ != header_.units) throw qs_ends_early();
    if (header_.hash && hash_.value() != *header_.hash) throw wrong_hash("qs");
    return size;
  }

 private:
  const std::unique_ptr<ByteSource> source_;
  const QsHeader header_;
  const bool is_from_beginning_;
  uint64_t position_;
  Xxh32 hash_{kQsSeed};
};

}  // namespace

bool is_qs(ByteSpan first_bytes) {
  return as_text(first_bytes).starts_with(kQsMagic);
}
bool is_qdata(ByteSpan first_bytes) {
  return as_text(first_bytes).starts_with(kQdataMagic);
}
bool is_qs2(ByteSpan first_bytes) {
  return as_text(first_bytes).starts_with(kQs2Magic) || is_qdata(first_bytes);
}

unsigned qs_shuffled_types(const File& file) {
  return qs_header(file).shuffled;
}

std::unique_ptr<ByteSource> qs2_source(FilePtr file, const SeekPoint& point, std::vector<SeekPoint>* points) {
  return std::make_unique<Qs2Source>(std::move(file), point, points);
}

std::unique_ptr<ByteSource> qs_source(const FilePtr& file, const SeekPoint& point,
                                      std::vector<SeekPoint>* points) {
  const QsHeader header = qs_header(*file);
  const bool is_plain = header.form == QsHeader::none;
  if (!is_plain && header.form != QsHeader::stream)
    return std::make_unique<QsBlocks>(file, header, point, points);
  auto slice = std::make_shared<const Slice>(file, header.begin, header.end);
  auto source = is_plain ? open_source(std::move(slice), Compression::none)
                         : zstd_source(std::move(slice), point, points);
  if (is_plain) source->skip(point.output);
  return std::make_unique<QsStream>(std::move(source), point.output, header);
}

}  // namespace plainfs::unpacked
