#include "formats/core/codecs/checksum.h"

namespace plainfs {
namespace {

uint32_t rotated(uint32_t value, int by) {
  return std::rotl(value, by);
}

// Bob Jenkins' lookup3 hashlittle() (burtleburtle.net/bob/c/lookup3.c), which HDF5 has as
// H5_checksum_lookup3.
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
