#include "formats/core/codecs/makers.h"
#include "formats/core/codecs/output.h"

namespace plainfs {
namespace {

// Rounding zeroes mantissa bits in place: there is nothing to undo.
class Bitround : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    check_decoded_size("bitround", encoded.size(), size);
    return encoded;
  }
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const override { return decoded_bytes; }
  CodecRole role() const override { return CodecRole::array_to_array; }
};

}  // namespace

CodecPtr bitround_codec() {
  return std::make_unique<Bitround>();
}

}  // namespace plainfs
