#include "formats/core/base/checked.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/codecs/output.h"

namespace plainfs {
namespace {

// numcodecs' packbits: the number of padding bits at the end, then eight booleans a byte, most significant
// bit first.
class Packbits : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    if (encoded.empty()) throw damaged("packbits: no byte");
    const auto padding = static_cast<uint64_t>(encoded[0]);
    const uint64_t bits = checked_multiply(encoded.size() - 1, 8);
    if (padding > 7 || padding > bits) throw damaged("packbits: {} padding bits in {}", padding, bits);
    check_decoded_size("packbits", bits - padding, size);
    Bytes out(bits - padding);
    for (size_t i = 0; i < out.size(); ++i) out[i] = encoded[1 + i / 8] >> (7 - i % 8) & std::byte{1};
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const override {
    return 1 + divide_up(decoded_bytes, 8);
  }
  CodecRole role() const override { return CodecRole::array_to_array; }
  ArrayStage encoded_stage(const ArrayStage& decoded) const override {
    uint64_t count = 1;
    for (const uint64_t length : decoded.shape) count = checked_multiply(count, length);
    return {number_type(Kind::unsigned_integer, 1), {1 + divide_up(count, 8)}};
  }
};

}  // namespace

CodecPtr packbits_codec() {
  return std::make_unique<Packbits>();
}

}  // namespace plainfs
