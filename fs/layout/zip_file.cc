#include "fs/layout/zip_file.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "cache/cancellable_lock.h"
#include "cache/in_order.h"
#include "cache/lazy.h"
#include "formats/core/base/checked.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/codecs/compress.h"
#include "fs/layout/zip_records.h"

namespace plainfs {

namespace {

constexpr uint64_t kPieceBytes = 1 << 20;  // read, and deflated, at once
constexpr int kUsualLevel = 3;             // a third of the time of zlib's default, a tenth larger
// Deflated pieces may be a little longer than plain ones.
constexpr uint64_t kMaxPlainWithoutZip64 = kZip64 - (uint64_t{1} << 28);

// Appends the part of `bytes` that lies in [begin, end), if they are at `at`.
void add_part(ByteSpan bytes, uint64_t at, uint64_t begin, uint64_t end,
              const std::shared_ptr<const void>& owner, Slices& slices) {
  const uint64_t from = std::clamp(begin, at, at + bytes.size()) - at;
  const uint64_t to = std::clamp(end, at, at + bytes.size()) - at;
  slices.add(bytes.subspan(from, to - from), owner);
}

// The content of the members. Its sizes are known.
class ZipContent : public std::enable_shared_from_this<ZipContent> {
 public:
  ZipContent(std::vector<ZipMember> members, Context& context)
      : members_(std::move(members)), context_(context), crcs_(members_.size()) {
    constexpr size_t kMaxMembers = 0xfffe;
    if (members_.size() > kMaxMembers) throw unsupported("{} members of a zip archive", members_.size());
    for (const ZipMember& member : members_) {
      bodies_.push_back(member.body ? member.body->size() : 0);
      sizes_.push_back(checked_add(member.head.size() + member.tail.size(), bodies_.back()));
      total_ = checked_add(total_, sizes_.back());
    }
  }

  size_t count() const { return members_.size(); }
  const std::string& name(size_t i) const { return members_[i].name; }
  uint64_t size(size_t i) const { return sizes_[i]; }
  uint64_t total() const { return total_; }
  Context& context() const { return context_; }

  // Appends bytes [begin, end) of a member.
  void read(size_t i, uint64_t begin, uint64_t end, Slices& slices) const {
    const ZipMember& member = members_[i];
    const uint64_t body = member.head.size(), tail = body + bodies_[i];
    const auto self = shared_from_this();
    add_part(as_byte_span(member.head), 0, begin, end, self, slices);
    const uint64_t from = std::max(begin, body), to = std::min(end, tail);
    if (from < to) {
      const Slices part = member.body->read(from - body, to - from);
      if (part.size() != to - from)
        throw unreadable("{}: {} bytes, expected {}", member.name, part.size(), to - from);
      for (size_t k = 0; k < part.parts.size(); ++k)
        slices.add(ByteSpan(static_cast<const std::byte*>(part.parts[k].iov_base), part.parts[k].iov_len),
                   part.owners[k]);
    }
    add_part(as_byte_span(member.tail), tail, begin, end, self, slices);
  }

  uint64_t pieces(size_t i) const { return divide_up(sizes_[i], kPieceBytes); }
  Slices piece(size_t i, uint64_t number) const {
    const uint64_t begin = number * kPieceBytes;
    Slices slices;
    read(i, begin, std::min(begin + kPieceBytes, sizes_[i]), slices);
    return slices;
  }

  // Returns the checksum of a member. The first call reads it.
  uint32_t crc(size_t i) const {
    return crcs_[i].get([&] {
      struct Piece {
        uint32_t crc;
        uint64_t size;
      };
      uint32_t all = 0;
      InOrder<Piece>::run(
          context_.workers, pieces(i),
          [&](size_t number) {
            const Slices slices = piece(i, number);
            Piece each{0, 0};
            for (const iovec& part : slices.parts) {
              each.crc =
                  crc32(ByteSpan(static_cast<const std::byte*>(part.iov_base), part.iov_len), each.crc);
              each.size += part.iov_len;
            }
            return each;
          },
          [&](size_t, Piece each) { all = joined_gzip_crc(all, each.crc, each.size); });
      return all;
    });
  }

 private:
  const std::vector<ZipMember> members_;
  Context& context_;
  std::vector<Lazy<uint32_t>> crcs_;
  std::vector<uint64_t> bodies_, sizes_;
  uint64_t total_ = 0;
};
using ZipContentPtr = std::shared_ptr<const ZipContent>;

// An archive of stored members.
class StoredZip {
 public:
  explicit StoredZip(ZipContentPtr content) : content_(std::move(content)) {
    for (size_t i = 0; i < content_->count(); ++i) {
      const uint64_t size = content_->size(i);
      entries_.push_back({content_->name(i), ZipMethod::stored, size >= kZip64, 0, size, size, directory_});
      directory_ = checked_add(directory_ + entries_.back().header_size(), size);
    }
    size_ = checked_add(directory_, zip_directory(entries_, directory_).size());
  }

  const ZipContentPtr& content() const { return content_; }
  uint64_t size() const { return size_; }

  // Requires: the range lies inside.
  Slices read(uint64_t begin, uint64_t end) const {
    Slices slices;
    for (size_t i = 0; i < entries_.size(); ++i) {
      const uint64_t at = entries_[i].begin, data = at + entries_[i].header_size();
      if (begin < data && end > at) add(zip_local_header(entry(i)), at, begin, end, slices);
      const uint64_t from = std::max(begin, data), to = std::min(end, data + entries_[i].stored);
      if (from < to) content_->read(i, from - data, to - data, slices);
    }
    if (end > directory_) {
      std::vector<ZipEntry> all;
      for (size_t i = 0; i < entries_.size(); ++i) all.push_back(entry(i));
      add(zip_directory(all, directory_), directory_, begin, end, slices);
    }
    return slices;
  }

 private:
  static void add(std::string bytes, uint64_t at, uint64_t begin, uint64_t end, Slices& slices) {
    const auto owner = std::make_shared<const std::string>(std::move(bytes));
    add_part(as_byte_span(*owner), at, begin, end, owner, slices);
  }

  // Returns the entry with its checksum.
  ZipEntry entry(size_t i) const {
    ZipEntry entry = entries_[i];
    entry.crc = content_->crc(i);
    return entry;
  }

  const ZipContentPtr content_;
  std::vector<ZipEntry> entries_;  // without their checksums
  uint64_t directory_ = 0;         // its place
  uint64_t size_ = 0;
};

struct DeflatedPiece {
  Bytes deflated;
  uint32_t crc;
  uint64_t size;  // before compression
};

class DeflatedZip : public PackedForm {
 public:
  explicit DeflatedZip(ZipContentPtr content) : content_(std::move(content)) {}

  int usual_level() const override { return kUsualLevel; }
  uint64_t bytes() const override { return content_->total(); }
  uint64_t write(int level, PackedSink& out,
                 const std::function<void(uint64_t)>& has_generated) const override {
    std::vector<ZipEntry> entries;
    uint64_t size = 0;
    for (size_t i = 0; i < content_->count(); ++i) {
      entries.push_back(write_member(i, size, level, out, has_generated));
      size = entries.back().begin + entries.back().header_size() + entries.back().stored;
    }
    const std::string directory = zip_directory(entries, size);
    out.write_at(size, as_byte_span(directory));
    return size + directory.size();
  }

 private:
  ZipEntry write_member(size_t i, uint64_t begin, int level, PackedSink& out,
                        const std::function<void(uint64_t)>& has_generated) const {
    ZipEntry entry{content_->name(i), ZipMethod::deflated, content_->size(i) > kMaxPlainWithoutZip64};
    entry.begin = begin;
    uint64_t end = begin + entry.header_size();
    const auto put = [&](ByteSpan bytes) {
      out.write_at(end, bytes);
      end += bytes.size();
    };
    InOrder<DeflatedPiece>::run(
        content_->context().workers, content_->pieces(i),
        [&](size_t number) {
          const Slices slices = content_->piece(i, number);
          Bytes bytes(slices.size());
          slices.copy_to(bytes);
          return DeflatedPiece{deflated_part(bytes, level), gzip_crc(bytes), bytes.size()};
        },
        [&](size_t, DeflatedPiece piece) {
          put(piece.deflated);
          entry.crc = joined_gzip_crc(entry.crc, piece.crc, piece.size);
          entry.plain += piece.size;
          has_generated(piece.size);
        });
    put(as_byte_span(kDeflateEnd));
    entry.stored = end - begin - entry.header_size();
    out.write_at(begin, as_byte_span(zip_local_header(entry)));
    return entry;
  }

  const ZipContentPtr content_;
};

class ZipFile : public ViewFile {
 public:
  ZipFile(std::function<std::vector<ZipMember>()> find_members, Context& context, std::string version)
      : find_members_(std::move(find_members)), context_(context), version_(std::move(version)) {}

  uint64_t size() override {
    if (const std::optional<uint64_t> known = known_size()) return *known;
    return zip().size();
  }
  std::optional<uint64_t> known_size() override { return published_.known(); }
  Slices read(uint64_t offset, size_t size) override {
    const StoredZip& all = zip();
    if (offset >= all.size()) return {};
    return all.read(offset, offset + std::min<uint64_t>(size, all.size() - offset));
  }
  std::unique_ptr<const PackedForm> packed() override {
    return std::make_unique<DeflatedZip>(zip().content());
  }
  MeasuredPtr measured() const override {
    const std::optional<uint64_t> size = published_.known();
    if (!size) return nullptr;
    return std::make_shared<const Measured>(Measured{version_, {*size}});
  }
  void adopt(const MeasuredPtr& measured) override {
    published_.adopt(
        measured, version_, [](const Measured& found) { return found.numbers.size() == 1; }, [] {});
  }

 private:
  const StoredZip& zip() {
    if (is_ready_.load(std::memory_order_acquire)) return *zip_;
    const CancellableLock lock(published_.preparing, published_.waiting);
    if (!is_ready_.load(std::memory_order_relaxed)) {
      zip_ = std::make_unique<const StoredZip>(std::make_shared<const ZipContent>(find_members_(), context_));
      is_ready_.store(true, std::memory_order_release);
      published_.publish(zip_->size());
    }
    return *zip_;
  }

  const std::function<std::vector<ZipMember>()> find_members_;
  Context& context_;
  const std::string version_;
  PublishedSize published_;
  std::atomic<bool> is_ready_{false};  // set once zip_ is final; read without the lock
  std::unique_ptr<const StoredZip> zip_;
};

}  // namespace

std::unique_ptr<ViewFile> zip_file(std::function<std::vector<ZipMember>()> find_members, Context& context,
                                   std::string version) {
  return std::make_unique<ZipFile>(std::move(find_members), context, std::move(version));
}

}  // namespace plainfs
