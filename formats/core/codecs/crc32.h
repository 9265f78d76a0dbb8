// Cyclic redundancy checks of 32 bits: that of gzip (RFC 1952, section 8), and CRC-32C (Castagnoli, RFC 3720,
// appendix B.4).
#pragma once

#include <cstdint>

#include "formats/core/base/bytes.h"

namespace plainfs {

// Of data behind what `before` is the checksum of.
uint32_t crc32(ByteSpan data, uint32_t before = 0);
uint32_t crc32c(ByteSpan data);

}  // namespace plainfs
