#include "formats/core/remote/sha256.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "formats/core/base/bytes.h"
#include "formats/core/base/error.h"

namespace plainfs::remote {

Digest sha256(std::string_view text) {
  Digest digest;
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
                 EVP_sha256(), nullptr) != 1)
    throw unreadable("SHA-256 cannot be computed");
  return digest;
}

std::string sha256_hex(std::string_view text) {
  std::string hex;
  append_hex(sha256(text), hex);
  return hex;
}

Digest hmac_sha256(ByteSpan key, std::string_view text) {
  Digest digest;
  unsigned size = 0;
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
            reinterpret_cast<const unsigned char*>(text.data()), text.size(),
            reinterpret_cast<unsigned char*>(digest.data()), &size))
    throw unreadable("HMAC cannot be computed");
  return digest;
}

}  // namespace plainfs::remote
