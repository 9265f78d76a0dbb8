#include <cstring>

#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/codecs/planes.h"

namespace plainfs {
namespace {

class Shuffle : public Codec {
 public:
  explicit Shuffle(uint64_t element_size) : element_size_(element_size) {}

  Bytes decode(Bytes encoded, DecodedSize size) const override {
    check_decoded_size("shuffle", encoded.size(), size);
    if (element_size_ <= 1 || encoded.size() < element_size_) return encoded;
    const size_t count = encoded.size() / element_size_;
    Bytes out(encoded.size());
    join_byte_planes(encoded.data(), count, element_size_, out.data());
    const size_t whole = count * element_size_;
    std::memcpy(out.data() + whole, encoded.data() + whole, encoded.size() - whole);
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const override { return decoded_bytes; }

 private:
  uint64_t element_size_;
};

}  // namespace

CodecPtr shuffle_codec(uint64_t element_size) {
  return std::make_unique<Shuffle>(element_size);
}

}  // namespace plainfs
