#include <libdeflate.h>

#include "formats/core/codecs/checksum.h"

namespace plainfs {

CodecPtr adler32_codec(ChecksumPlace place) {
  return checksum_codec("adler32", place, [](ByteSpan data, uint32_t stored) {
    return libdeflate_adler32(1, data.data(), data.size()) == stored;
  });
}

}  // namespace plainfs
