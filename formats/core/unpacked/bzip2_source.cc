// bzip2 data, block by block. A block begins at any bit, with a mark of 48 bits.
#include "formats/core/unpacked/block_sources.h"

#include <bzlib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cache/request.h"
#include "formats/core/base/error.h"

namespace plainfs::unpacked {
namespace {

// decompress.c of bzip2 1.0.8: the first 48 bits of a block, and the 48 bits before the checksum of a stream.
constexpr uint64_t kBlockMark = 0x314159265359;
constexpr uint64_t kEndMark = 0x177245385090;
constexpr unsigned kMarkBits = 48;
constexpr unsigned kChecksumBits = 32;
// Compressed. Incompressible data grow a block of 900,000 bytes by little.
constexpr uint64_t kMaxBlockBytes = 2 << 20;
constexpr size_t kMaxUnpackedBytes = 64 << 20;  // 900,000 bytes in which every 5 stand for a run of 255
constexpr uint64_t kMaxFalseMarks = 4;          // in one block; the probability of each is 2^-25

// The bits of a file, the highest of each byte first.
class FileBits {
 public:
  explicit FileBits(FilePtr file) : file_(std::move(file)) {}

  uint64_t end() const { return file_->size() * 8; }
  // Returns count <= 48 bits from bit on. Throws if the file ends before.
  uint64_t at(uint64_t bit, unsigned count) {
    if (bit + count > end())
      throw damaged("the compressed data are truncated; copy or download the file again");
    uint64_t value = 0;
    const uint64_t first = bit / 8, last = (bit + count - 1) / 8;
    for (uint64_t byte = first; byte <= last; ++byte) value = value << 8 | this->byte(byte);
    value >>= 7 - (bit + count - 1) % 8;
    return value & ((uint64_t{1} << count) - 1);
  }
  unsigned byte(uint64_t offset) {
    if (offset < start_ || offset - start_ >= held_.size()) load(offset);
    return static_cast<uint8_t>(held_[offset - start_]);
  }

 private:
  void load(uint64_t offset) {
    constexpr uint64_t kBehind = 64;
    start_ = offset - std::min(offset, kBehind);
    held_.resize(
        static_cast<size_t>(std::min<uint64_t>(kMaxBlockBytes + (64 << 10), file_->size() - start_)));
    file_->read_at(start_, held_);
  }

  FilePtr file_;
  uint64_t start_ = 0;
  Bytes held_;
};

// Appends bits to bytes, the highest first.
class BitWriter {
 public:
  void put(uint64_t value, unsigned count) {
    while (count-- > 0) {
      partial_ = partial_ << 1 | (value >> count & 1);
      if (++filled_ == 8) flush();
    }
  }
  void put_byte(unsigned byte) {
    partial_ = partial_ << 8 | byte;
    bytes_.push_back(static_cast<char>(partial_ >> filled_));
    partial_ &= (1u << filled_) - 1;
  }
  std::string finish() {
    if (filled_ > 0) put(0, 8 - filled_);
    return std::move(bytes_);
  }

 private:
  void flush() {
    bytes_.push_back(static_cast<char>(partial_));
    partial_ = filled_ = 0;
  }
  std::string bytes_;
  unsigned partial_ = 0;
  unsigned filled_ = 0;
};

class Bunzip {
 public:
  Bunzip() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw unreadable("bzip2 cannot be started");
  }
  ~Bunzip() { BZ2_bzDecompressEnd(&stream_); }
  Bunzip(const Bunzip&) = delete;
  Bunzip& operator=(const Bunzip&) = delete;

  // Decompresses one whole stream. Returns false if packed is not a valid stream.
  bool unpack(std::string& packed, Bytes& out) {
    stream_.next_in = packed.data();
    stream_.avail_in = static_cast<unsigned>(packed.size());
    out.clear();
    for (;;) {
      const size_t done = out.size();
      if (done >= kMaxUnpackedBytes) return false;
      out.resize(done + (1 << 20));
      stream_.next_out = reinterpret_cast<char*>(out.data() + done);
      stream_.avail_out = 1 << 20;
      const int result = BZ2_bzDecompress(&stream_);
      out.resize(out.size() - stream_.avail_out);
      if (result == BZ_STREAM_END) return true;
      if (result != BZ_OK || (stream_.avail_in == 0 && out.size() == done)) return false;
    }
  }

 private:
  bz_stream stream_{};
};

class Bzip2Source final : public ByteSource {
 public:
  Bzip2Source(FilePtr file, const SeekPoint& point, std::vector<SeekPoint>* points)
      : bits_(std::move(file)), at_(point.input), points_(points), output_(point.output) {
    if (at_ > 0)
      is_begun_in_midst_ = true;
    else
      begin_stream();
  }

  size_t read(std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      if (unread_.empty() && !next_block()) break;
      const size_t some = std::min(out.size() - done, unread_.size());
      std::copy_n(unread_.begin(), some, out.begin() + static_cast<ptrdiff_t>(done));
      unread_ = unread_.subspan(some);
      done += some;
    }
    return done;
  }

 private:
  // Skips the four bytes at the beginning of a stream.
  void begin_stream() {
    const uint64_t head = bits_.at(at_, 32);
    if (head >> 8 != 0x425a68 || (head & 0xff) < '1' || (head & 0xff) > '9')
      throw damaged("the bzip2 data have no header");
    at_ += 32;
    checksum_ = 0;
    is_begun_in_midst_ = false;
  }

  bool next_block() {
    if (is_at_end_) return false;
    for (;;) {
      const uint64_t mark = bits_.at(at_, kMarkBits);
      if (mark == kBlockMark) break;
      if (mark != kEndMark) throw damaged("the bzip2 data are invalid: no block begins at bit {}", at_);
      if (!end_stream()) return false;
    }
    if (points_) points_->push_back({output_, at_});
    check_cancelled();
    unpack_block();
    output_ += block_.size();
    unread_ = block_;
    return true;
  }

  // Checks the end of a stream. Returns false if no further stream follows.
  bool end_stream() {
    const uint64_t stored = bits_.at(at_ + kMarkBits, kChecksumBits);
    if (!is_begun_in_midst_ && stored != checksum_)
      throw damaged("the bzip2 data are invalid: the checksum is {:08x}, expected {:08x}", checksum_, stored);
    at_ = (at_ + kMarkBits + kChecksumBits + 7) / 8 * 8;
    if (at_ + 32 > bits_.end() || bits_.at(at_, 24) != 0x425a68) {
      is_at_end_ = true;
      return false;
    }
    begin_stream();
    return true;
  }

  // Returns the position of the next mark from bit `from` on. Returns nullopt if no mark follows, or only a
  // distant one.
  std::optional<uint64_t> next_mark(uint64_t from) {
    uint64_t seen = 0;
    const uint64_t last = std::min(bits_.end(), at_ + kMaxBlockBytes * 8);
    uint64_t byte = from / 8;
    const uint64_t first = byte * 8;
    for (; byte * 8 < last; ++byte) {
      seen = seen << 8 | bits_.byte(byte);
      const uint64_t end = byte * 8 + 8;
      if (end < first + 56) continue;
      for (unsigned shift = 8; shift-- > 0;) {
        const uint64_t bits = seen >> shift & ((uint64_t{1} << kMarkBits) - 1);
        const uint64_t start = end - shift - kMarkBits;
        if (start >= from && (bits == kBlockMark || bits == kEndMark)) return start;
      }
    }
    return std::nullopt;
  }

  void unpack_block() {
    const uint64_t begin = at_;
    const uint64_t block_checksum = bits_.at(begin + kMarkBits, kChecksumBits);
    uint64_t end = begin + kMarkBits + kChecksumBits;
    for (uint64_t tries = 0; tries <= kMaxFalseMarks; ++tries) {
      const std::optional<uint64_t> mark = next_mark(end + (tries > 0 ? 1 : 0));
      if (!mark && tries > 0) break;
      if (!mark) throw damaged("the compressed data are truncated; copy or download the file again");
      end = *mark;
      std::string packed = alone(begin, end, block_checksum);
      if (!Bunzip().unpack(packed, block_)) continue;
      at_ = end;
      checksum_ = ((checksum_ << 1 | checksum_ >> 31) & 0xffffffff) ^ block_checksum;
      return;
    }
    throw damaged("the bzip2 data are invalid in the block at bit {}", begin);
  }

  // Returns the bits of a block as a complete stream.
  std::string alone(uint64_t begin, uint64_t end, uint64_t block_checksum) {
    BitWriter writer;
    for (const char c : {'B', 'Z', 'h', '9'}) writer.put_byte(static_cast<uint8_t>(c));
    uint64_t at = begin;
    for (; at + 8 <= end; at += 8) writer.put_byte(static_cast<unsigned>(bits_.at(at, 8)));
    if (at < end) writer.put(bits_.at(at, static_cast<unsigned>(end - at)), static_cast<unsigned>(end - at));
    writer.put(kEndMark, kMarkBits);
    writer.put(block_checksum, kChecksumBits);
    return writer.finish();
  }

  FileBits bits_;
  uint64_t at_;  // in bits
  std::vector<SeekPoint>* points_;
  uint64_t output_;
  uint64_t checksum_ = 0;  // of the stream's blocks so far
  bool is_begun_in_midst_ = false;
  bool is_at_end_ = false;
  Bytes block_;
  ByteSpan unread_;
};

}  // namespace

std::unique_ptr<ByteSource> bzip2_source(FilePtr file, const SeekPoint& point,
                                         std::vector<SeekPoint>* points) {
  return std::make_unique<Bzip2Source>(std::move(file), point, points);
}

}  // namespace plainfs::unpacked
