#include "formats/core/codecs/inflate.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

class Zlib : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override { return inflate_zlib(encoded, size); }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }
};

}  // namespace

CodecPtr zlib_codec() {
  return std::make_unique<Zlib>();
}

}  // namespace plainfs
