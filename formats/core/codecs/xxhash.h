// XXH32 and the 64-bit form of XXH3 without a seed, of bytes that are added piece by piece. Source: the
// "xxHash fast digest algorithm" specification, versions 0.1.1 and 0.2 of its two parts.
#pragma once

#include <array>
#include <cstdint>

#include "formats/core/base/bytes.h"

namespace plainfs {

class Xxh32 {
 public:
  explicit Xxh32(uint32_t seed);
  void add(ByteSpan bytes);
  // Returns the hash of all bytes so far.
  uint32_t value() const;

 private:
  void add_stripe(const std::byte* stripe);

  const uint32_t seed_;
  std::array<uint32_t, 4> lanes_;
  std::array<std::byte, 16> pending_{};
  uint64_t total_ = 0;
};

class Xxh3 {
 public:
  Xxh3();
  void add(ByteSpan bytes);
  // Returns the hash of all bytes so far.
  uint64_t value() const;

 private:
  static constexpr size_t kBlock = 1024;  // bytes between two scrambles
  static constexpr size_t kStripe = 64;
  using Lanes = std::array<uint64_t, 8>;

  static void add_stripe(Lanes& lanes, const std::byte* stripe, size_t secret);
  void add_block();
  uint64_t long_value() const;

  Lanes lanes_;
  std::array<std::byte, kBlock> pending_{};  // the last bytes, up to a whole block
  std::array<std::byte, kStripe> before_{};  // the last bytes before the pending ones
  size_t pending_size_ = 0;
  uint64_t total_ = 0;
};

}  // namespace plainfs
