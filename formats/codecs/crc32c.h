// CRC-32C (Castagnoli, RFC 3720 appendix B.4), with the processor's instruction where it has one.
#pragma once

#include <cstdint>

#include "formats/base/bytes.h"

namespace plainfs {

uint32_t crc32c(ByteSpan data);
// The same without that instruction.
uint32_t crc32c_portable(ByteSpan data);

}  // namespace plainfs
