#include "fs/layout/bgzf.h"

#include <algorithm>
#include <array>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/base/encode.h"
#include "formats/core/codecs/checksum.h"

namespace plainfs {

namespace {

// The header and trailer of one member.
struct Frame {
  std::array<std::byte, kBgzfStoredHeader> header;
  std::array<std::byte, kBgzfTrailer> trailer;

  void set_header(uint64_t length) {
    std::memcpy(header.data(), kBgzfBegin.data(), kBgzfBegin.size());
    put_little(&header[16], length + kBgzfStoredHeader + kBgzfTrailer - 1, 2);
    header[18] = std::byte{1};  // a stored block, the last one
    put_little(&header[19], length, 2);
    put_little(&header[21], ~length, 2);
  }
  void set_trailer(uint32_t crc, uint64_t length) {
    put_little(&trailer[0], crc, 4);
    put_little(&trailer[4], length, 4);
  }
};

// A cursor that takes the requested number of bytes from the parts of slices, in order.
class PartCursor {
 public:
  explicit PartCursor(const Slices& slices) : slices_(slices) {}

  // Calls visit(bytes, owner) for the next `size` bytes. Requires: there are as many.
  template <class Visit>
  void take(size_t size, Visit&& visit) {
    while (size > 0) {
      const iovec& part = slices_.parts[part_];
      const size_t some = std::min(size, part.iov_len - used_);
      visit(ByteSpan(static_cast<const std::byte*>(part.iov_base) + used_, some), slices_.owners[part_]);
      size -= some;
      used_ += some;
      if (used_ == part.iov_len) ++part_, used_ = 0;
    }
  }

 private:
  const Slices& slices_;
  size_t part_ = 0;
  size_t used_ = 0;  // bytes of the current part
};

// A filter for consecutive parts from `at` on; it keeps the bytes in [begin, end).
class Window {
 public:
  Window(uint64_t at, uint64_t begin, uint64_t end) : at_(at), begin_(begin), end_(end) {}

  void add(ByteSpan part, const std::shared_ptr<const void>& owner) {
    const uint64_t from = std::clamp(begin_, at_, at_ + part.size()) - at_;
    const uint64_t to = std::clamp(end_, at_, at_ + part.size()) - at_;
    if (from < to) slices_.add(part.subspan(from, to - from), owner);
    at_ += part.size();
  }
  Slices finish() { return std::move(slices_); }

 private:
  uint64_t at_;
  const uint64_t begin_;
  const uint64_t end_;
  Slices slices_;
};

class BgzfFile : public ViewFile {
 public:
  explicit BgzfFile(std::shared_ptr<ViewFile> file) : file_(std::move(file)) {}

  uint64_t size() override { return bgzf_size(file_->size()); }
  std::optional<uint64_t> known_size() override {
    const std::optional<uint64_t> known = file_->known_size();
    return known ? std::optional(bgzf_size(*known)) : std::nullopt;
  }
  Slices read(uint64_t offset, size_t size) override;
  MeasuredPtr measured() const override { return file_->measured(); }
  void adopt(const MeasuredPtr& measured) override { file_->adopt(measured); }

 private:
  const std::shared_ptr<ViewFile> file_;
};

Slices BgzfFile::read(uint64_t offset, size_t size) {
  const uint64_t file_size = file_->size(), whole = bgzf_size(file_size);
  if (offset >= whole || size == 0) return {};
  const uint64_t end = offset + std::min<uint64_t>(size, whole - offset);
  const uint64_t members = divide_up(file_size, kBgzfPayload), members_end = whole - kBgzfEnd.size();
  const uint64_t first = offset < members_end ? offset / kBgzfStoredMember : members;
  const uint64_t last = std::min(divide_up(end, kBgzfStoredMember), members);
  const auto payload = [&](uint64_t member) {
    return std::min(kBgzfPayload, file_size - member * kBgzfPayload);
  };
  Window window(first < members ? first * kBgzfStoredMember : members_end, offset, end);
  if (first < last) {
    // The text of a member is needed from its beginning, for its checksum; that of the last one up to the
    // end.
    const uint64_t last_text = (last - 1) * kBgzfStoredMember + kBgzfStoredHeader;
    const uint64_t from = first * kBgzfPayload;
    const uint64_t to =
        (last - 1) * kBgzfPayload + std::min(payload(last - 1), end - std::min(end, last_text));
    const Slices content = file_->read(from, to - from);
    if (content.size() != to - from)
      throw unreadable("{2} bytes at {1}, expected {0}", to - from, from, content.size());
    const auto frames = std::make_shared<std::vector<Frame>>(last - first);
    PartCursor cursor(content);
    for (uint64_t member = first; member < last; ++member) {
      const uint64_t length = payload(member);
      const bool has_trailer = member * kBgzfStoredMember + kBgzfStoredHeader + length < end;
      Frame& frame = (*frames)[member - first];
      frame.set_header(length);
      window.add(frame.header, frames);
      uint32_t crc = 0;
      cursor.take(has_trailer ? length : to - member * kBgzfPayload,
                  [&](ByteSpan bytes, const std::shared_ptr<const void>& owner) {
                    if (has_trailer) crc = crc32(bytes, crc);
                    window.add(bytes, owner);
                  });
      if (!has_trailer) continue;  // the last one, cut off
      frame.set_trailer(crc, length);
      window.add(frame.trailer, frames);
    }
  }
  if (last == members) window.add(as_byte_span(kBgzfEnd), nullptr);
  return window.finish();
}

}  // namespace

uint64_t bgzf_size(uint64_t file_size) {
  const uint64_t frames =
      checked_multiply(divide_up(file_size, kBgzfPayload), kBgzfStoredHeader + kBgzfTrailer);
  return checked_add(checked_add(file_size, frames), kBgzfEnd.size());
}

uint64_t bgzf_virtual_offset(uint64_t offset, uint64_t file_size) {
  if (offset == file_size) return (bgzf_size(file_size) - kBgzfEnd.size()) << 16;
  return offset / kBgzfPayload * kBgzfStoredMember << 16 | offset % kBgzfPayload;
}

std::unique_ptr<ViewFile> bgzf_file(std::shared_ptr<ViewFile> file) {
  return std::make_unique<BgzfFile>(std::move(file));
}

}  // namespace plainfs
