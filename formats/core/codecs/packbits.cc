#include "formats/core/base/checked.h"
#include "formats/core/base/encode.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

// numcodecs' packbits: the number of padding bits at the end, then eight booleans per byte, most significant
// bit first.
class Packbits : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    if (encoded.empty()) throw damaged("packbits: no bytes");
    const auto padding = static_cast<uint64_t>(encoded[0]);
    const uint64_t bits = checked_multiply(encoded.size() - 1, 8);
    if (padding > 7 || padding > bits) throw damaged("packbits: {} padding bits in {} bits", padding, bits);
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

namespace {

// zarr-extensions' packbits: some bits of each element, least significant first (unlike numcodecs' packbits),
// padded with zeros to whole bytes.
class PackbitsV3 : public Codec {
 public:
  PackbitsV3(PackbitsPadding padding, uint64_t first_bit, std::optional<uint64_t> last_bit, const DType& type)
      : padding_(padding), size_(type.size), sign_(type.kind == Kind::integer) {
    visit_number(type, [](auto) {});
    const uint64_t width = type.kind == Kind::boolean ? 1 : size_ * 8;
    const uint64_t last = last_bit.value_or(width - 1);
    if (last >= width) throw damaged("packbits: bits {} to {} are outside {}", first_bit, last, width);
    if (first_bit > last)
      throw damaged("packbits: the first bit is {}, expected at most the last, {}", first_bit, last);
    first_ = static_cast<unsigned>(first_bit);
    bits_ = static_cast<unsigned>(last - first_bit + 1);
  }

  Bytes decode(Bytes encoded, DecodedSize size) const override {
    if (!size.exact) throw damaged("packbits: unknown number of elements");
    const uint64_t count = size.bytes / size_;
    check_decoded_size("packbits", encoded.size(), DecodedSize::exactly(*encoded_size(size.bytes)));
    const ByteSpan packed = without_padding_byte(encoded, (8 - checked_multiply(count, bits_) % 8) % 8);
    Bytes out(size.bytes);
    for (uint64_t i = 0; i < count; ++i) put_little(&out[i * size_], element(packed, i * bits_), size_);
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const override {
    if (decoded_bytes % size_ != 0)
      throw damaged("packbits: {} bytes are not a whole number of elements of {} bytes", decoded_bytes,
                    size_);
    return divide_up(checked_multiply(decoded_bytes / size_, bits_), 8) + (padding_ != PackbitsPadding::none);
  }
  CodecRole role() const override { return CodecRole::array_to_bytes; }

 private:
  ByteSpan without_padding_byte(ByteSpan encoded, uint64_t padding) const {
    if (padding_ == PackbitsPadding::none) return encoded;
    const bool first = padding_ == PackbitsPadding::first_byte;
    const auto stored = static_cast<uint64_t>(first ? encoded.front() : encoded.back());
    if (stored != padding) throw damaged("packbits: {} padding bits, expected {}", stored, padding);
    return first ? encoded.subspan(1) : encoded.first(encoded.size() - 1);
  }

  // Returns the element with bit `at` of `packed` as its lowest bit.
  uint64_t element(ByteSpan packed, uint64_t at) const {
    uint64_t value = 0;
    for (unsigned k = 0; k < bits_; ++k)
      value |= static_cast<uint64_t>(packed[(at + k) / 8] >> ((at + k) % 8) & std::byte{1}) << k;
    value <<= first_;
    const unsigned top = first_ + bits_ - 1;
    if (sign_ && top < 63 && (value >> top & 1) != 0) value |= ~uint64_t{0} << (top + 1);
    return value;
  }

  PackbitsPadding padding_;
  uint64_t size_;  // bytes of an element
  bool sign_;      // elements are signed: the highest stored bit is extended
  unsigned first_ = 0;
  unsigned bits_ = 0;  // stored of each element
};

}  // namespace

CodecPtr packbits_v3_codec(PackbitsPadding padding, uint64_t first_bit, std::optional<uint64_t> last_bit,
                           const DType& type) {
  return std::make_unique<PackbitsV3>(padding, first_bit, last_bit, type);
}

}  // namespace plainfs
