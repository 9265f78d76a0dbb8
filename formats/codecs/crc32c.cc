#include "formats/codecs/crc32c.h"

#include <array>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "formats/codecs/checksum.h"

namespace plainfs {
namespace {

// Slicing by eight: tables[k][b] is the checksum of byte b followed by k zero bytes.
constexpr auto kTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < 8; ++k)
    for (size_t b = 0; b < 256; ++b) tables[k][b] = tables[k - 1][b] >> 8 ^ tables[0][tables[k - 1][b] & 255];
  return tables;
}();

uint32_t portable(uint32_t crc, const std::byte* at, size_t size) {
  for (; size >= 8; at += 8, size -= 8) {
    const uint64_t word = load_little<uint64_t>(at) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][word >> (8 * k) & 255];
  }
  for (; size > 0; ++at, --size) crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<uint32_t>(*at)) & 255];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t with_instruction(uint32_t crc, const std::byte* at, size_t size) {
  uint64_t wide = crc;
  for (; size >= 8; at += 8, size -= 8) wide = _mm_crc32_u64(wide, load_little<uint64_t>(at));
  crc = static_cast<uint32_t>(wide);
  for (; size > 0; ++at, --size) crc = _mm_crc32_u8(crc, static_cast<uint8_t>(*at));
  return crc;
}
bool has_instruction() {
  return __builtin_cpu_supports("sse4.2");
}
#elif defined(__aarch64__) && (defined(__ARM_FEATURE_CRC32) || defined(__linux__))
#if defined(__clang__)
__attribute__((target("crc")))
#else
__attribute__((target("+crc")))
#endif
uint32_t
with_instruction(uint32_t crc, const std::byte* at, size_t size) {
  for (; size >= 8; at += 8, size -= 8) crc = __crc32cd(crc, load_little<uint64_t>(at));
  for (; size > 0; ++at, --size) crc = __crc32cb(crc, static_cast<uint8_t>(*at));
  return crc;
}
#if defined(__ARM_FEATURE_CRC32)
bool has_instruction() {
  return true;
}
#else
bool has_instruction() {
  constexpr unsigned long kCrc32 = 1 << 7;  // HWCAP_CRC32
  return (getauxval(AT_HWCAP) & kCrc32) != 0;
}
#endif
#else
uint32_t with_instruction(uint32_t crc, const std::byte* at, size_t size) {
  return portable(crc, at, size);
}
bool has_instruction() {
  return false;
}
#endif

}  // namespace

uint32_t crc32c(ByteSpan data) {
  static const auto update = has_instruction() ? with_instruction : portable;
  return ~update(~0u, data.data(), data.size());
}

uint32_t crc32c_portable(ByteSpan data) {
  return ~portable(~0u, data.data(), data.size());
}

CodecPtr crc32c_codec(ChecksumPlace place) {
  return checksum_codec("crc32c", place,
                        [](ByteSpan data, uint32_t stored) { return crc32c(data) == stored; });
}

}  // namespace plainfs
