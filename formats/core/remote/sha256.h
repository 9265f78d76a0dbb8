// SHA-256 and HMAC with it, by libcrypto.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "formats/core/base/bytes.h"

namespace plainfs::remote {

using Digest = std::array<std::byte, 32>;

Digest sha256(std::string_view text);
std::string sha256_hex(std::string_view text);
Digest hmac_sha256(ByteSpan key, std::string_view text);

}  // namespace plainfs::remote
