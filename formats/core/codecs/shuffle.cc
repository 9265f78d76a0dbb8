#include <cstring>

#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

// planes: size planes of count bytes. out[i * size + j] = planes[j * count + i]. A fixed size lets the
// compiler interleave whole vectors.
template <size_t size>
void unshuffle_fixed(const std::byte* __restrict planes, std::byte* __restrict out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < size; ++j) out[i * size + j] = planes[j * count + i];
}

void unshuffle_any(const std::byte* planes, std::byte* out, size_t count, size_t size) {
  constexpr size_t kRun = 64;  // elements: their output stays in the first-level cache
  for (size_t first = 0; first < count; first += kRun) {
    const size_t last = std::min(count, first + kRun);
    for (size_t j = 0; j < size; ++j)
      for (size_t i = first; i < last; ++i) out[i * size + j] = planes[j * count + i];
  }
}

class Shuffle : public Codec {
 public:
  explicit Shuffle(uint64_t element_size) : element_size_(element_size) {}

  Bytes decode(Bytes encoded, DecodedSize size) const override {
    check_decoded_size("shuffle", encoded.size(), size);
    if (element_size_ <= 1 || encoded.size() < element_size_) return encoded;
    const size_t count = encoded.size() / element_size_;
    Bytes out(encoded.size());
    switch (element_size_) {
      case 2:
        unshuffle_fixed<2>(encoded.data(), out.data(), count);
        break;
      case 4:
        unshuffle_fixed<4>(encoded.data(), out.data(), count);
        break;
      case 8:
        unshuffle_fixed<8>(encoded.data(), out.data(), count);
        break;
      default:
        unshuffle_any(encoded.data(), out.data(), count, element_size_);
    }
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
