#include "formats/core/text/base64.h"
#include "formats/core/base/checked.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

class Base64 : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    if (encoded.size() / 4 * 3 > checked_add(size.bytes, 2))
      throw damaged("base64: {} characters, expected {} bytes", encoded.size(), size.bytes);
    Bytes out = decode_base64(as_text(encoded));
    check_decoded_size("base64", out.size(), size);
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const override {
    return checked_multiply(divide_up(decoded_bytes, 3), 4);
  }
};

}  // namespace

CodecPtr base64_codec() {
  return std::make_unique<Base64>();
}

}  // namespace plainfs
