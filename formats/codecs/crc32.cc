#include <libdeflate.h>

#include "formats/codecs/checksum.h"

namespace plainfs {

CodecPtr crc32_codec(ChecksumPlace place) {
  return checksum_codec("crc32", place, [](ByteSpan data, uint32_t stored) {
    return libdeflate_crc32(0, data.data(), data.size()) == stored;
  });
}

}  // namespace plainfs
