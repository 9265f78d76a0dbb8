#include "formats/core/codecs/crc32.h"

#include <isa-l/crc.h>

#include <algorithm>

#include "formats/core/codecs/checksum.h"

namespace plainfs {

uint32_t crc32(ByteSpan data, uint32_t before) {
  return crc32_gzip_refl(before, reinterpret_cast<const unsigned char*>(data.data()), data.size());
}

uint32_t crc32c(ByteSpan data) {
  constexpr size_t kAtOnce = size_t{1} << 30;  // its length is an int
  uint32_t crc = ~0u;
  for (size_t at = 0; at < data.size(); at += kAtOnce) {
    const ByteSpan some = data.subspan(at, std::min(kAtOnce, data.size() - at));
    // Not const by an oversight of its declaration: the bytes are only read.
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

}  // namespace plainfs
