#include "formats/core/codecs/xxhash.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "formats/core/base/cursor.h"
#include "formats/core/base/int128.h"

namespace plainfs {
namespace {

constexpr uint32_t kPrime32[] = {0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1};
constexpr uint64_t kPrime64[] = {0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                                 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5};
constexpr uint64_t kMix1 = 0x165667919E3779F9, kMix2 = 0x9FB21C651E98DF25;

// The default secret.
constexpr uint8_t kSecret[192] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};
constexpr size_t kLastSecret = sizeof kSecret - 64;  // of a scramble

uint64_t secret64(size_t at) {
  return load_little<uint64_t>(reinterpret_cast<const std::byte*>(kSecret) + at);
}
uint32_t secret32(size_t at) {
  return load_little<uint32_t>(reinterpret_cast<const std::byte*>(kSecret) + at);
}
uint64_t word64(const std::byte* at) {
  return load_little<uint64_t>(at);
}
uint32_t word32(const std::byte* at) {
  return load_little<uint32_t>(at);
}

// Returns the two halves of the product, combined.
uint64_t folded_product(uint64_t a, uint64_t b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t avalanche(uint64_t hash) {
  hash = (hash ^ hash >> 37) * kMix1;
  return hash ^ hash >> 32;
}

// The final mix of XXH64.
uint64_t avalanche64(uint64_t hash) {
  hash = (hash ^ hash >> 33) * kPrime64[1];
  hash = (hash ^ hash >> 29) * kPrime64[2];
  return hash ^ hash >> 32;
}

uint64_t mixed_16_bytes(const std::byte* at, size_t secret) {
  return folded_product(word64(at) ^ secret64(secret), word64(at + 8) ^ secret64(secret + 8));
}

uint64_t hash_of_up_to_16(const std::byte* at, size_t size) {
  if (size > 8) {
    const uint64_t low = word64(at) ^ secret64(24) ^ secret64(32),
                   high = word64(at + size - 8) ^ secret64(40) ^ secret64(48);
    return avalanche(size + __builtin_bswap64(low) + high + folded_product(low, high));
  }
  if (size >= 4) {
    uint64_t hash = (word32(at + size - 4) + (uint64_t{word32(at)} << 32)) ^ secret64(8) ^ secret64(16);
    hash ^= std::rotl(hash, 49) ^ std::rotl(hash, 24);
    hash *= kMix2;
    hash = (hash ^ ((hash >> 35) + size)) * kMix2;
    return hash ^ hash >> 28;
  }
  if (size == 0) return avalanche64(secret64(56) ^ secret64(64));
  const auto byte = [at](size_t i) { return static_cast<uint32_t>(at[i]); };
  const uint32_t combined =
      byte(0) << 16 | byte(size >> 1) << 24 | byte(size - 1) | static_cast<uint32_t>(size) << 8;
  return avalanche64(combined ^ uint64_t{secret32(0) ^ secret32(4)});
}

uint64_t hash_of_up_to_240(const std::byte* at, size_t size) {
  uint64_t hash = size * kPrime64[0];
  if (size <= 128) {
    for (size_t i = (size - 1) / 32 + 1; i-- > 0;) {
      hash += mixed_16_bytes(at + 16 * i, 32 * i);
      hash += mixed_16_bytes(at + size - 16 * (i + 1), 32 * i + 16);
    }
    return avalanche(hash);
  }
  for (size_t i = 0; i < 8; ++i) hash += mixed_16_bytes(at + 16 * i, 16 * i);
  hash = avalanche(hash);
  for (size_t i = 8; i < size / 16; ++i) hash += mixed_16_bytes(at + 16 * i, 16 * (i - 8) + 3);
  return avalanche(hash + mixed_16_bytes(at + size - 16, 136 - 17));
}

}  // namespace

Xxh32::Xxh32(uint32_t seed)
    : seed_(seed), lanes_{seed + kPrime32[0] + kPrime32[1], seed + kPrime32[1], seed, seed - kPrime32[0]} {}

void Xxh32::add_stripe(const std::byte* stripe) {
  for (size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i] = std::rotl(lanes_[i] + word32(stripe + 4 * i) * kPrime32[1], 13) * kPrime32[0];
}

void Xxh32::add(ByteSpan bytes) {
  while (!bytes.empty()) {
    const size_t held = total_ % pending_.size();
    if (held == 0 && bytes.size() >= pending_.size()) {
      add_stripe(bytes.data());
      total_ += pending_.size();
      bytes = bytes.subspan(pending_.size());
      continue;
    }
    const size_t some = std::min(bytes.size(), pending_.size() - held);
    std::memcpy(pending_.data() + held, bytes.data(), some);
    total_ += some;
    bytes = bytes.subspan(some);
    if (held + some == pending_.size()) add_stripe(pending_.data());
  }
}

uint32_t Xxh32::value() const {
  uint32_t hash = seed_ + kPrime32[4];
  if (total_ >= pending_.size())
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
           std::rotl(lanes_[3], 18);
  hash += static_cast<uint32_t>(total_);
  const size_t held = total_ % pending_.size();
  size_t at = 0;
  for (; at + 4 <= held; at += 4)
    hash = std::rotl(hash + word32(pending_.data() + at) * kPrime32[2], 17) * kPrime32[3];
  for (; at < held; ++at)
    hash = std::rotl(hash + static_cast<uint32_t>(pending_[at]) * kPrime32[4], 11) * kPrime32[0];
  hash = (hash ^ hash >> 15) * kPrime32[1];
  hash = (hash ^ hash >> 13) * kPrime32[2];
  return hash ^ hash >> 16;
}

Xxh3::Xxh3()
    : lanes_{kPrime32[2], kPrime64[0], kPrime64[1], kPrime64[2],
             kPrime64[3], kPrime32[1], kPrime64[4], kPrime32[0]} {}

void Xxh3::add_stripe(Lanes& lanes, const std::byte* stripe, size_t secret) {
  for (size_t i = 0; i < lanes.size(); ++i) {
    const uint64_t value = word64(stripe + 8 * i), keyed = value ^ secret64(secret + 8 * i);
    lanes[i ^ 1] += value;
    lanes[i] += uint64_t{static_cast<uint32_t>(keyed)} * (keyed >> 32);
  }
}

void Xxh3::add_block() {
  for (size_t i = 0; i < kBlock / kStripe; ++i) add_stripe(lanes_, pending_.data() + kStripe * i, 8 * i);
  for (size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i] = (lanes_[i] ^ lanes_[i] >> 47 ^ secret64(kLastSecret + 8 * i)) * kPrime32[0];
  std::memcpy(before_.data(), pending_.data() + kBlock - kStripe, kStripe);
  pending_size_ = 0;
}

void Xxh3::add(ByteSpan bytes) {
  total_ += bytes.size();
  while (!bytes.empty()) {
    // The last block is not added as one, so more bytes must follow it.
    if (pending_size_ == kBlock) add_block();
    const size_t some = std::min(bytes.size(), kBlock - pending_size_);
    std::memcpy(pending_.data() + pending_size_, bytes.data(), some);
    pending_size_ += some;
    bytes = bytes.subspan(some);
  }
}

uint64_t Xxh3::value() const {
  constexpr uint64_t kShort = 16, kMiddle = 240;
  if (total_ <= kShort) return hash_of_up_to_16(pending_.data(), pending_size_);
  return total_ <= kMiddle ? hash_of_up_to_240(pending_.data(), pending_size_) : long_value();
}

uint64_t Xxh3::long_value() const {
  Lanes lanes = lanes_;
  const size_t stripes = (pending_size_ - 1) / kStripe;
  for (size_t i = 0; i < stripes; ++i) add_stripe(lanes, pending_.data() + kStripe * i, 8 * i);
  std::array<std::byte, kStripe> last;
  const size_t from_pending = std::min(pending_size_, kStripe);
  std::memcpy(last.data(), before_.data() + from_pending, kStripe - from_pending);
  std::memcpy(last.data() + kStripe - from_pending, pending_.data() + pending_size_ - from_pending,
              from_pending);
  add_stripe(lanes, last.data(), kLastSecret - 7);
  uint64_t hash = total_ * kPrime64[0];
  for (size_t i = 0; i < lanes.size(); i += 2)
    hash += folded_product(lanes[i] ^ secret64(11 + 8 * i), lanes[i + 1] ^ secret64(11 + 8 * i + 8));
  return avalanche(hash);
}

}  // namespace plainfs
