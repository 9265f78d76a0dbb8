#include "formats/core/codecs/checksum.h"

namespace plainfs {
namespace {

// HDF5's Fletcher-32 (H5checksum.c, H5_checksum_fletcher32): words of two bytes, the first the high one; an
// odd last byte is the high byte of a word.
uint32_t fletcher32(ByteSpan data) {
  constexpr size_t kWords = 360;  // so many sums fit 32 bits before they are folded
  uint32_t sum1 = 0;
  uint32_t sum2 = 0;
  const auto fold = [](uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  size_t at = 0;
  const size_t words_end = data.size() / 2 * 2;
  while (at < words_end) {
    const size_t end = std::min(words_end, at + kWords * 2);
    for (; at < end; at += 2) {
      sum1 += static_cast<uint32_t>(data[at]) << 8 | static_cast<uint32_t>(data[at + 1]);
      sum2 += sum1;
    }
    sum1 = fold(sum1);
    sum2 = fold(sum2);
  }
  if (at < data.size()) {
    sum1 += static_cast<uint32_t>(data[at]) << 8;
    sum2 += sum1;
    sum1 = fold(sum1);
    sum2 = fold(sum2);
  }
  return fold(sum2) << 16 | fold(sum1);
}

// HDF5 1.6.2 and older wrote the bytes of each half swapped on little-endian machines (H5Zfletcher32.c).
uint32_t halves_swapped(uint32_t sum) {
  return (sum & 0x00ff00ffu) << 8 | (sum >> 8 & 0x00ff00ffu);
}

}  // namespace

CodecPtr fletcher32_codec() {
  return checksum_codec("fletcher32", ChecksumPlace::end, [](ByteSpan data, uint32_t stored) {
    const uint32_t sum = fletcher32(data);
    return sum == stored || halves_swapped(sum) == stored;
  });
}

}  // namespace plainfs
