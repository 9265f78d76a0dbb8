// 32-bit cyclic redundancy checks: that of gzip (RFC 1952, section 8), and CRC-32C (Castagnoli, RFC 3720,
// appendix B.4).
#pragma once

#include <cstdint>
#include <cstring>

#include "formats/core/base/bytes.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {

// Returns the checksum of `data` appended to data with the checksum `before`.
uint32_t crc32(ByteSpan data, uint32_t before = 0);
uint32_t crc32c(ByteSpan data);

// A 32-bit checksum codec: 4 bytes little-endian before or after the data they protect. Matches:
// bool(ByteSpan data, uint32_t stored).
template <class Matches>
class ChecksumCodec : public Codec {
 public:
  ChecksumCodec(std::string_view name, ChecksumPlace place, Matches matches)
      : name_(name), place_(place), matches_(std::move(matches)) {}

  Bytes decode(Bytes encoded, DecodedSize size) const override {
    constexpr size_t kBytes = 4;
    if (encoded.size() < kBytes)
      throw damaged("{}: {} bytes are too short for a checksum", name_, encoded.size());
    const size_t data_bytes = encoded.size() - kBytes;
    check_decoded_size(name_, data_bytes, size);
    const bool first = place_ == ChecksumPlace::start;
    const uint32_t stored = load_little<uint32_t>(encoded.data() + (first ? 0 : data_bytes));
    if (!matches_(ByteSpan(encoded).subspan(first ? kBytes : 0, data_bytes), stored))
      throw damaged("{}: the checksum {:#010x} does not match", name_, stored);
    if (first) std::memmove(encoded.data(), encoded.data() + kBytes, data_bytes);
    encoded.resize(data_bytes);
    return encoded;
  }
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const override {
    return checked_add(decoded_bytes, 4);
  }

 private:
  std::string_view name_;
  ChecksumPlace place_;
  Matches matches_;
};

// name: a literal.
template <class Matches>
CodecPtr checksum_codec(std::string_view name, ChecksumPlace place, Matches matches) {
  return std::make_unique<ChecksumCodec<Matches>>(name, place, std::move(matches));
}

}  // namespace plainfs
