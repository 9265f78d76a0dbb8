// The input of decompressors: the bytes of a file in order.
#pragma once

#include <algorithm>
#include <utility>

#include "formats/core/base/error.h"
#include "formats/core/unpacked/byte_source.h"

namespace plainfs::unpacked {

inline constexpr size_t kInputBytes = 64 << 10;

inline Error input_ends_early() {
  return damaged("the compressed data are truncated; copy or download the file again");
}

// The bytes of a file as they are.
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
  explicit Input(FilePtr file, uint64_t offset = 0)
      : file_(std::move(file), offset), buffer_(kInputBytes), begin_(offset) {}

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
  // Returns the position in the file of the bytes that are not consumed.
  uint64_t position() const { return begin_ + taken_; }

 private:
  FileSource file_;
  Bytes buffer_;
  ByteSpan unused_;
  uint64_t begin_;
  uint64_t taken_ = 0;
};

}  // namespace plainfs::unpacked
