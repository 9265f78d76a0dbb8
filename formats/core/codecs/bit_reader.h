// A reader of bits, most significant first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "formats/core/base/bytes.h"
#include "formats/core/base/cursor.h"
#include "formats/core/base/error.h"

namespace plainfs {

class BitReader {
 public:
  // codec: a name for messages; must outlive the reader.
  BitReader(std::string_view codec, ByteSpan bytes)
      : codec_(codec), bytes_(bytes), end_(uint64_t{8} * bytes.size()) {}

  // Returns the next `count` bits as a number. Throws damaged if there are fewer. Requires: count <= 64.
  uint64_t read(unsigned count) {
    if (count > kMaxAtOnce) {
      const uint64_t high = read(count - 32);
      return high << 32 | read(32);
    }
    if (count == 0) return 0;
    if (end_ - position_ < count) fail();
    const uint64_t value = window() >> (64 - count);
    position_ += count;
    return value;
  }

  // Returns the number of zeros before the next one bit, which is consumed too. Throws damaged if there is no
  // one bit.
  uint64_t zeros() {
    uint64_t count = 0;
    while (position_ < end_) {
      const uint64_t valid = std::min<uint64_t>(64 - position_ % 8, end_ - position_);
      const auto found = static_cast<uint64_t>(std::countl_zero(window()));
      if (found < valid) {
        position_ += found + 1;
        return count + found;
      }
      position_ += valid;
      count += valid;
    }
    fail();
  }

 private:
  static constexpr unsigned kMaxAtOnce = 57;

  [[noreturn]] void fail() const { throw damaged("{}: truncated", codec_); }

  // Returns the bits from position_ on, at least 57 if there are as many.
  uint64_t window() const {
    const size_t byte = position_ / 8;
    std::byte next[8] = {};
    std::memcpy(next, bytes_.data() + byte, std::min<size_t>(8, bytes_.size() - byte));
    return load_big<uint64_t>(next) << position_ % 8;
  }

  std::string_view codec_;
  ByteSpan bytes_;
  uint64_t end_, position_ = 0;  // in bits
};

}  // namespace plainfs
