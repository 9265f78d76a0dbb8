#include "formats/containers/rds/serial_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"

namespace plainfs::rds {
namespace {

constexpr size_t kBufferBytes = 64 << 10;
constexpr uint64_t kGrowBytes = 1 << 20;

}  // namespace

SerialStream::SerialStream(ByteSource& source, uint64_t most_bytes)
    : source_(source), bytes_left_(most_bytes), buffer_(kBufferBytes) {
  read_header();
}

// "X\n" or "B\n", then the version, the writer's R, the oldest reader's R; in version 3 the native encoding.
void SerialStream::read_header() {
  const Bytes format = bytes(2);
  if (as_text(format) == "A\n") throw unsupported("R's serialisation as text is not supported");
  if (as_text(format) != "X\n" && as_text(format) != "B\n") throw damaged("this is no R serialisation");
  big_endian_ = as_text(format) == "X\n";
  version_ = static_cast<uint32_t>(integer());
  if (version_ != 2 && version_ != 3)
    throw unsupported("version {} of R's serialisation is not supported", version_);
  writer_ = static_cast<uint32_t>(integer());
  integer();
  if (version_ == 2) return;
  const int32_t size = integer();
  if (size < 0 || size > 64) throw damaged("the name of the native encoding has {} bytes", size);
  native_encoding_ = as_text(bytes(static_cast<uint64_t>(size)));
}

std::string SerialStream::writer() const {
  return fmt::format("{}.{}.{}", writer_ >> 16, writer_ >> 8 & 0xff, writer_ & 0xff);
}

size_t SerialStream::read_some(std::span<std::byte> out) {
  const size_t size = source_.read(out);
  if (size > bytes_left_) throw unsupported("the file holds too much data when decompressed");
  bytes_left_ -= size;
  return size;
}

void SerialStream::read(std::span<std::byte> out) {
  while (!out.empty()) {
    if (unread_.empty() && out.size() >= kBufferBytes) {
      if (read_some(out) != out.size()) throw damaged("the R serialisation ends too early");
      return;
    }
    if (unread_.empty()) unread_ = ByteSpan(buffer_).first(read_some(buffer_));
    if (unread_.empty()) throw damaged("the R serialisation ends too early");
    const size_t size = std::min(out.size(), unread_.size());
    std::memcpy(out.data(), unread_.data(), size);
    unread_ = unread_.subspan(size);
    out = out.subspan(size);
  }
}

int32_t SerialStream::integer() {
  std::byte stored[4];
  read(stored);
  return big_endian_ ? load_big<int32_t>(stored) : load_little<int32_t>(stored);
}

// A long vector has -1 and then the two halves of its length, the upper at most 65536.
uint64_t SerialStream::length() {
  const int32_t short_length = integer();
  if (short_length >= 0) return static_cast<uint64_t>(short_length);
  if (short_length < -1) throw damaged("a vector has length {}", short_length);
  const auto upper = static_cast<uint32_t>(integer());
  const auto lower = static_cast<uint32_t>(integer());
  if (upper > 65536) throw damaged("the upper half of a vector's length is {}", upper);
  return uint64_t{upper} << 32 | lower;
}

Bytes SerialStream::bytes(uint64_t size) {
  Bytes all;
  while (all.size() < size) {
    const size_t before = all.size();
    const uint64_t more = std::min<uint64_t>(size - before, std::max<uint64_t>(before, kGrowBytes));
    all.resize(before + more);
    read(std::span(all).subspan(before));
  }
  return all;
}

Bytes SerialStream::numbers(uint64_t count, size_t size) {
  Bytes all = bytes(checked_multiply(count, size));
  if (big_endian_ != (std::endian::native == std::endian::big)) {
    if (size == 4)
      swap_all<uint32_t>(all);
    else
      swap_all<uint64_t>(all);
  }
  return all;
}

void SerialStream::skip(uint64_t size) {
  Bytes scratch(std::min<uint64_t>(size, kBufferBytes));
  while (size > 0) {
    const auto part = static_cast<size_t>(std::min<uint64_t>(size, scratch.size()));
    read(std::span(scratch).first(part));
    size -= part;
  }
}

void SerialStream::finish() {
  while (read_some(buffer_) > 0) {
  }
  unread_ = {};
}

}  // namespace plainfs::rds
