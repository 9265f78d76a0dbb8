// Base64 with the standard alphabet (RFC 4648, section 4): a codec, and how fill values hold bytes.
#pragma once

#include <string_view>

#include "formats/core/base/bytes.h"

namespace plainfs {

// Throws damaged where text is not padded base64; line breaks are none.
Bytes decode_base64(std::string_view text);

}  // namespace plainfs
