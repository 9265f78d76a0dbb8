#include "formats/core/codecs/inflate.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

class Gzip : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    // Old z5 wrote zlib streams under the name gzip; the two begin differently.
    const bool gzip = encoded.size() >= 2 && encoded[0] == std::byte{0x1f} && encoded[1] == std::byte{0x8b};
    return gzip || encoded.size() < 2 ? inflate_gzip(encoded, size) : inflate_zlib(encoded, size);
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
};

}  // namespace

CodecPtr gzip_codec() {
  return std::make_unique<Gzip>();
}

}  // namespace plainfs
