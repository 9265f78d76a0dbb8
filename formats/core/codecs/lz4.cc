#include <lz4.h>

#include "formats/core/base/cursor.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

class Lz4 : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    if (encoded.size() < 4) throw damaged("lz4: {} bytes are no chunk", encoded.size());
    const uint32_t decoded = load_little<uint32_t>(encoded.data());
    check_decoded_size("lz4", decoded, size);
    if (decoded > LZ4_MAX_INPUT_SIZE || encoded.size() - 4 > INT32_MAX)
      throw damaged("lz4: {} bytes are more than a block holds", decoded);
    Bytes out(decoded);
    const int written = LZ4_decompress_safe(reinterpret_cast<const char*>(encoded.data() + 4),
                                            reinterpret_cast<char*>(out.data()),
                                            static_cast<int>(encoded.size() - 4), static_cast<int>(decoded));
    if (written < 0) throw damaged("lz4: invalid or cut off");
    check_decoded_size("lz4", static_cast<uint64_t>(written), DecodedSize::exactly(decoded));
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
};

}  // namespace

CodecPtr lz4_codec() {
  return std::make_unique<Lz4>();
}

}  // namespace plainfs
