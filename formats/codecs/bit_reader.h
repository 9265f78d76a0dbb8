// Bits of a run of bytes, the most significant first. Whoever reads has made sure that they are there.
#pragma once

#include <cassert>
#include <cstdint>

#include "formats/model/bytes.h"

namespace plainfs {

class BitReader {
 public:
  explicit BitReader(ByteSpan bytes) : bytes_(bytes) {}

  // The next count bits as a number. Requires: count <= 64, and that there are as many.
  uint64_t read(unsigned count) {
    assert(position_ + count <= uint64_t{8} * bytes_.size());
    uint64_t value = 0;
    while (count > 0) {
      const unsigned left = 8 - static_cast<unsigned>(position_ % 8);
      const unsigned taken = count < left ? count : left;
      const auto byte = static_cast<unsigned>(bytes_[position_ / 8]);
      value = value << taken | (byte >> (left - taken) & ((1u << taken) - 1));
      position_ += taken;
      count -= taken;
    }
    return value;
  }

 private:
  ByteSpan bytes_;
  uint64_t position_ = 0;  // in bits
};

}  // namespace plainfs
