// Base64 with the standard alphabet (RFC 4648, section 4), used as a codec, in fill values and in pages.
#pragma once

#include <string>
#include <string_view>

#include "formats/core/base/bytes.h"

namespace plainfs {

// Throws damaged if `text` is not padded base64. Line breaks are not allowed.
Bytes decode_base64(std::string_view text);

// Returns `bytes` as base64 with padding.
std::string encode_base64(ByteSpan bytes);

}  // namespace plainfs
