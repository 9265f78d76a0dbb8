#include "fs/commands/deflated.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cache/in_order.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/base/encode.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/codecs/compress.h"
#include "fs/commands/part_file.h"
#include "fs/layout/bgzf.h"

namespace plainfs {
namespace {

constexpr uint64_t kMembersInPiece = 128;

// Returns the size of the text in a file of stored members.
uint64_t text_size(uint64_t stored) {
  const uint64_t members = stored - kBgzfEnd.size();
  return members - divide_up(members, kBgzfStoredMember) * (kBgzfStoredHeader + kBgzfTrailer);
}

std::string bytes_of(const Slices& slices) {
  std::string bytes(slices.size(), '\0');
  slices.copy_to(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

class Deflater {
 public:
  explicit Deflater(int level) : compressor_(libdeflate_alloc_compressor(level)) {
    if (!compressor_) throw std::bad_alloc();
  }

  // Returns a member for the text, which has the trailer already. The data are stored if that is smaller.
  std::string member(std::string_view text, std::string_view trailer) {
    std::string out(kBgzfHeader + text.size() + kBgzfStoredHeader, '\0');
    const size_t size = libdeflate_deflate_compress(compressor_.get(), text.data(), text.size(),
                                                    out.data() + kBgzfHeader, out.size() - kBgzfHeader);
    if (size == 0 || size > text.size() + 5) {  // and 5 bytes around a stored block
      out[kBgzfHeader] = 1;
      put_little(&out[kBgzfHeader + 1], text.size(), 2);
      put_little(&out[kBgzfHeader + 3], ~text.size(), 2);
      std::copy(text.begin(), text.end(), out.begin() + kBgzfStoredHeader);
      out.resize(kBgzfStoredHeader + text.size());
    } else {
      out.resize(kBgzfHeader + size);
    }
    std::copy(kBgzfBegin.begin(), kBgzfBegin.end(), out.begin());
    put_little(&out[kBgzfBegin.size()], out.size() + kBgzfTrailer - 1, 2);
    return out.append(trailer);
  }

 private:
  struct Free {
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
  };
  const std::unique_ptr<libdeflate_compressor, Free> compressor_;
};

// Some members, and the offset of each.
struct DeflatedPiece {
  std::string bytes;
  std::vector<uint64_t> begins;
};

// Compresses consecutive members of stored blocks.
DeflatedPiece deflated(std::string_view stored, int level) {
  Deflater deflater(level);
  DeflatedPiece out;
  for (size_t at = 0; at < stored.size(); at += kBgzfStoredMember) {
    const std::string_view member = stored.substr(at, kBgzfStoredMember);
    if (member.size() <= kBgzfStoredHeader + kBgzfTrailer || !member.starts_with(kBgzfBegin))
      throw damaged("no stored block at byte {}", at);
    out.begins.push_back(out.bytes.size());
    out.bytes +=
        deflater.member(member.substr(kBgzfStoredHeader, member.size() - kBgzfStoredHeader - kBgzfTrailer),
                        member.substr(member.size() - kBgzfTrailer));
  }
  return out;
}

// Returns the offsets of the members of a file, and last the end. Returns nullopt unless the members have
// kBgzfPayload bytes of text each but the last, and `text` bytes in total.
std::optional<std::vector<uint64_t>> members_of(const PartFile& file, uint64_t text) {
  std::vector<uint64_t> begins;
  uint64_t at = 0, sum = 0;
  const uint64_t size = file.size();
  if (size < kBgzfEnd.size()) return std::nullopt;
  for (const uint64_t end = size - kBgzfEnd.size(); at < end;) {
    std::string head(kBgzfHeader, '\0'), tail(4, '\0');
    if (file.read_at(at, head.data(), head.size()) != head.size() || !head.starts_with(kBgzfBegin))
      return std::nullopt;
    const uint64_t length =
        load_little<uint16_t>(as_byte_span(head).data() + kBgzfBegin.size()) + uint64_t{1};
    if (length < kBgzfHeader + kBgzfTrailer || length > end - at) return std::nullopt;
    if (file.read_at(at + length - tail.size(), tail.data(), tail.size()) != tail.size()) return std::nullopt;
    begins.push_back(at);
    sum += load_little<uint32_t>(as_byte_span(tail).data());
    at += length;
    if (sum != std::min(text, begins.size() * kBgzfPayload)) return std::nullopt;
  }
  std::string last(kBgzfEnd.size(), '\0');
  if (sum != text || file.read_at(at, last.data(), last.size()) != last.size() || last != kBgzfEnd)
    return std::nullopt;
  begins.push_back(at);
  return begins;
}

PartFile existing_file(const TargetFolder& folder, const std::string& path) {
  return PartFile::existing(folder.folder_of(path), folder.name_of(path), folder.whole(path));
}

// Rewrites the virtual offsets in an index.
class IndexRewriter {
 public:
  IndexRewriter(std::string index, const std::vector<uint64_t>& begins)
      : index_(std::move(index)), cursor_(as_byte_span(index_)), begins_(begins) {}

  std::string run() && {
    const std::string_view magic = cursor_.text(4);
    is_csi_ = magic == std::string_view("CSI\1", 4);
    if (!is_csi_ && magic != std::string_view("TBI\1", 4)) throw damaged("not an index of positions");
    uint32_t chromosomes = 0, depth = kTbiDepth;
    if (is_csi_) {
      cursor_.skip(4);
      depth = number();
      cursor_.skip(number());
      chromosomes = number();
    } else {
      chromosomes = number();
      cursor_.skip(kTbiColumns);
      cursor_.skip(number());
    }
    counts_bin_ = ((uint64_t{1} << (3 * (depth + 1))) - 1) / 7 + 1;
    for (uint32_t i = 0; i < chromosomes; ++i) rewrite_chromosome();
    return std::move(index_);
  }

 private:
  static constexpr uint32_t kTbiDepth = 5;
  static constexpr size_t kTbiColumns = 24;  // six numbers

  uint32_t number() { return cursor_.little<uint32_t>(); }

  void rewrite_offset() {
    const size_t at = cursor_.position();
    const auto stored = cursor_.little<uint64_t>();
    const uint64_t member = (stored >> 16) / kBgzfStoredMember;
    const bool is_end = (stored >> 16) % kBgzfStoredMember != 0;  // in a last member that is not full
    if (member + is_end >= begins_.size())
      throw damaged("an offset of {}, but there are {} members", stored, begins_.size());
    put_little(&index_[at], begins_[member + is_end] << 16 | (stored & 0xffff), 8);
  }

  void rewrite_chromosome() {
    const uint32_t bins = number();
    for (uint32_t i = 0; i < bins; ++i) {
      const bool is_counts = number() == counts_bin_;
      if (is_csi_) rewrite_offset();
      const uint32_t chunks = number();
      for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
        if (is_counts && chunk > 0) {  // the number of lines
          cursor_.skip(16);
          continue;
        }
        rewrite_offset();
        rewrite_offset();
      }
    }
    if (is_csi_) return;
    const uint32_t windows = number();
    for (uint32_t i = 0; i < windows; ++i) rewrite_offset();
  }

  std::string index_;
  Cursor cursor_;
  const std::vector<uint64_t>& begins_;
  bool is_csi_ = false;
  uint64_t counts_bin_ = 0;
};

// Returns the text in stored members.
std::string text_of(std::string_view stored) {
  std::string text;
  const uint64_t end = stored.size() - kBgzfEnd.size();
  for (size_t at = 0; at < end; at += kBgzfStoredMember) {
    const uint64_t size = std::min<uint64_t>(kBgzfStoredMember, end - at);
    text += stored.substr(at + kBgzfStoredHeader, size - kBgzfStoredHeader - kBgzfTrailer);
  }
  return text;
}

// Compresses a text as members, including the empty last one.
std::string compressed(std::string_view text) {
  Deflater deflater(kBgzipLevel);
  std::string out;
  for (size_t at = 0; at < text.size(); at += kBgzfPayload) {
    const std::string_view part = text.substr(at, kBgzfPayload);
    std::string trailer(kBgzfTrailer, '\0');
    put_little(&trailer[0], libdeflate_crc32(0, part.data(), part.size()), 4);
    put_little(&trailer[4], part.size(), 4);
    out += deflater.member(part, trailer);
  }
  return out.append(kBgzfEnd);
}

// Returns the index for the text in the folder; nullopt if the text is missing.
std::optional<std::string> index_for(Filesystem& filesystem, Workers& workers, const TargetFolder& folder,
                                     const Copy& copy) {
  const std::string path(indexed_text(copy.path));
  const PartFile text = existing_file(folder, path);
  if (!text.has_file()) return std::nullopt;
  const auto shown = static_cast<uint64_t>(filesystem.status(filesystem.find("/" + path)).st_size);
  const auto begins = members_of(text, text_size(shown));
  if (!begins) return std::nullopt;
  return index_of_deflated(filesystem, workers, copy, *begins);
}

void put(PartFile& output, uint64_t at, const std::string& bytes) {
  Slices slices;
  slices.add(as_byte_span(bytes), nullptr);
  output.write_at(at, slices);
}

constexpr uint64_t kGzipPiece = 1 << 20;  // bytes deflated together

struct GzipPiece {
  Bytes deflated;
  uint32_t crc;
  uint64_t size;  // before compression
};

}  // namespace

std::string_view indexed_text(std::string_view path) {
  for (const std::string_view ending : {".tbi", ".csi"})
    if (path.ends_with(std::string(".gz") += ending)) return path.substr(0, path.size() - ending.size());
  return {};
}

bool can_be_deflated(Filesystem& filesystem, const Copy& copy) {
  if (!copy.path.ends_with(".gz") && indexed_text(copy.path).empty()) return false;
  if (copy.size < kBgzfStoredHeader + kBgzfTrailer + kBgzfEnd.size()) return false;
  if (std::holds_alternative<PlainFile>(filesystem.meaning(copy.inode).what.node.content)) return false;
  const std::string begins = bytes_of(filesystem.read(filesystem.open(copy.inode), 0, kBgzfStoredHeader));
  return begins.starts_with(kBgzfBegin) && begins[kBgzfHeader] == 1;
}

std::vector<uint64_t> write_deflated(Filesystem& filesystem, Workers& workers, const Copy& copy, int level,
                                     PartFile& output, const std::function<void(uint64_t)>& wrote) {
  const OpenFile file = filesystem.open(copy.inode);
  const uint64_t piece_bytes = kMembersInPiece * kBgzfStoredMember;
  const uint64_t end = copy.size - kBgzfEnd.size();
  std::vector<uint64_t> begins;
  uint64_t size = 0;
  InOrder<DeflatedPiece>::run(
      workers, divide_up(end, piece_bytes),
      [&](size_t number) {
        const uint64_t first = number * piece_bytes, wanted = std::min(piece_bytes, end - first);
        const std::string stored = bytes_of(filesystem.read(file, first, wanted));
        if (stored.size() != wanted)
          throw damaged("{} bytes at {}, expected {}", stored.size(), first, wanted);
        return deflated(stored, level);
      },
      [&](size_t number, DeflatedPiece piece) {
        put(output, size, piece.bytes);
        for (const uint64_t begin : piece.begins) begins.push_back(size + begin);
        size += piece.bytes.size();
        wrote(std::min(piece_bytes, end - number * piece_bytes));
      });
  begins.push_back(size);
  put(output, size, std::string(kBgzfEnd));
  wrote(kBgzfEnd.size());
  return begins;
}

std::string index_of_deflated(Filesystem& filesystem, Workers& workers, const Copy& index,
                              const std::vector<uint64_t>& begins) {
  std::string stored;
  make_pieces(filesystem, workers, filesystem.open(index.inode), 0, index.size,
              [&](uint64_t, const Slices& piece) {
                stored += bytes_of(piece);
                return true;
              });
  return compressed(IndexRewriter(text_of(stored), begins).run());
}

uint64_t size_of_deflated(const std::vector<uint64_t>& begins) {
  return begins.back() + kBgzfEnd.size();
}

bool is_deflated(Filesystem& filesystem, const TargetFolder& folder, const Copy& copy) {
  if (!indexed_text(copy.path).empty()) return false;  // it is short, and its text may have changed
  const PartFile file = existing_file(folder, copy.path);
  if (!file.has_file()) return false;
  return is_same_time(file.modified(), modified_time(filesystem.status(copy.inode))) &&
         members_of(file, text_size(copy.size)).has_value();
}

void copy_deflated(Filesystem& filesystem, Workers& workers, const TargetFolder& folder, const Copy& copy,
                   const std::function<void(uint64_t)>& wrote) {
  std::optional<std::string> index;
  if (!indexed_text(copy.path).empty()) {
    index = index_for(filesystem, workers, folder, copy);
    if (!index) return copy_file(filesystem, workers, folder, copy, wrote);
  }
  const timespec time = modified_time(filesystem.status(copy.inode));
  PartFile output(folder.folder_of(copy.path), part_name(copy.path + " deflated", copy.size, time),
                  folder.whole(copy.path));
  finish_or_discard(output, [&] {
    uint64_t size = 0;
    if (index) {
      put(output, 0, *index);
      size = index->size();
      wrote(copy.size);
    } else {
      size = size_of_deflated(write_deflated(filesystem, workers, copy, kBgzipLevel, output, wrote));
    }
    output.finish(size, time, folder.name_of(copy.path));
  });
}

uint64_t write_gzip(Filesystem& filesystem, Workers& workers, const Copy& copy, int level, PartFile& output,
                    const std::function<void(uint64_t)>& wrote) {
  const OpenFile file = filesystem.open(copy.inode);
  uint64_t size = 0;
  uint32_t crc = 0;
  const auto put = [&](ByteSpan bytes) {
    output.write_at(size, bytes);
    size += bytes.size();
  };
  put(as_byte_span(kGzipHeader));
  InOrder<GzipPiece>::run(
      workers, divide_up(copy.size, kGzipPiece),
      [&](size_t number) {
        const uint64_t first = number * kGzipPiece, wanted = std::min(kGzipPiece, copy.size - first);
        const Slices slices = filesystem.read(file, first, wanted);
        if (slices.size() != wanted)
          throw damaged("{} bytes at {}, expected {}", slices.size(), first, wanted);
        Bytes bytes(wanted);
        slices.copy_to(bytes);
        return GzipPiece{deflated_part(bytes, level), gzip_crc(bytes), wanted};
      },
      [&](size_t, GzipPiece piece) {
        put(piece.deflated);
        crc = joined_gzip_crc(crc, piece.crc, piece.size);
        wrote(piece.size);
      });
  put(as_byte_span(kDeflateEnd));
  put(as_byte_span(gzip_trailer(crc, copy.size)));
  return size;
}

}  // namespace plainfs
