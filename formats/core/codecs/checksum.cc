#include "formats/core/codecs/checksum.h"

#include <libdeflate.h>

#include <isa-l/crc.h>
#include <algorithm>

namespace plainfs {

uint32_t crc32(ByteSpan data, uint32_t before) {
  return crc32_gzip_refl(before, reinterpret_cast<const unsigned char*>(data.data()), data.size());
}

uint32_t crc32c(ByteSpan data) {
  constexpr size_t kAtOnce = size_t{1} << 30;  // the length parameter is an int
  uint32_t crc = ~0u;
  for (size_t at = 0; at < data.size(); at += kAtOnce) {
    const ByteSpan some = data.subspan(at, std::min(kAtOnce, data.size() - at));
    // The declaration lacks a const by oversight: the bytes are only read.
    auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(some.data()));
    crc = crc32_iscsi(bytes, static_cast<int>(some.size()), crc);
  }
  return ~crc;
}

CodecPtr crc32_codec(ChecksumPlace place) {
  return checksum_codec("crc32", place, [](ByteSpan data, uint32_t stored) { return crc32(data) == stored; });
}

CodecPtr crc32c_codec(ChecksumPlace place) {
  return checksum_codec("crc32c", place,
                        [](ByteSpan data, uint32_t stored) { return crc32c(data) == stored; });
}

CodecPtr adler32_codec(ChecksumPlace place) {
  return checksum_codec("adler32", place, [](ByteSpan data, uint32_t stored) {
    return libdeflate_adler32(1, data.data(), data.size()) == stored;
  });
}

namespace {

// HDF5's Fletcher-32 (H5checksum.c, H5_checksum_fletcher32): words of two bytes, high byte first. An odd last
// byte is the high byte of a word.
uint32_t fletcher32(ByteSpan data) {
  constexpr size_t kWords = 360;  // this many sums fit 32 bits before they are folded
  uint32_t sum1 = 0;
  uint32_t sum2 = 0;
  const auto fold = [](uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  size_t at = 0;
  const size_t pairs_end = data.size() / 2 * 2;
  while (at < pairs_end) {
    const size_t end = std::min(pairs_end, at + kWords * 2);
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

// Returns the sum as HDF5 1.6.2 and older wrote it on little-endian machines, with the bytes of each half
// swapped (H5Zfletcher32.c).
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

namespace {

uint32_t rotated(uint32_t value, int by) {
  return std::rotl(value, by);
}

// Bob Jenkins' lookup3 hashlittle() (burtleburtle.net/bob/c/lookup3.c), H5_checksum_lookup3 in HDF5.
class Lookup3 {
 public:
  Lookup3(uint32_t bytes, uint32_t initial) : a_(0xdeadbeefu + bytes + initial), b_(a_), c_(a_) {}

  void add(const std::byte* at) {
    a_ += load_little<uint32_t>(at);
    b_ += load_little<uint32_t>(at + 4);
    c_ += load_little<uint32_t>(at + 8);
  }
  void mix() {
    a_ -= c_, a_ ^= rotated(c_, 4), c_ += b_;
    b_ -= a_, b_ ^= rotated(a_, 6), a_ += c_;
    c_ -= b_, c_ ^= rotated(b_, 8), b_ += a_;
    a_ -= c_, a_ ^= rotated(c_, 16), c_ += b_;
    b_ -= a_, b_ ^= rotated(a_, 19), a_ += c_;
    c_ -= b_, c_ ^= rotated(b_, 4), b_ += a_;
  }
  uint32_t finish() {
    c_ ^= b_, c_ -= rotated(b_, 14);
    a_ ^= c_, a_ -= rotated(c_, 11);
    b_ ^= a_, b_ -= rotated(a_, 25);
    c_ ^= b_, c_ -= rotated(b_, 16);
    a_ ^= c_, a_ -= rotated(c_, 4);
    b_ ^= a_, b_ -= rotated(a_, 14);
    c_ ^= b_, c_ -= rotated(b_, 24);
    return c_;
  }
  uint32_t unmixed() const { return c_; }

 private:
  uint32_t a_, b_, c_;
};

uint32_t lookup3(ByteSpan data, uint32_t initial) {
  constexpr size_t kBlock = 12;
  Lookup3 hash(static_cast<uint32_t>(data.size()), initial);
  if (data.empty()) return hash.unmixed();
  for (; data.size() > kBlock; data = data.subspan(kBlock)) {
    hash.add(data.data());
    hash.mix();
  }
  std::byte last[kBlock] = {};
  std::memcpy(last, data.data(), data.size());
  hash.add(last);
  return hash.finish();
}

}  // namespace

CodecPtr jenkins_lookup3_codec(uint32_t initial, Bytes prefix) {
  return checksum_codec("jenkins_lookup3", ChecksumPlace::end,
                        [initial, prefix = std::move(prefix)](ByteSpan data, uint32_t stored) {
                          if (prefix.empty()) return lookup3(data, initial) == stored;
                          Bytes whole = prefix;
                          whole.insert(whole.end(), data.begin(), data.end());
                          return lookup3(whole, initial) == stored;
                        });
}

}  // namespace plainfs
