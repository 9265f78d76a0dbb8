// HDF5's scale-offset filter: numbers minus the least of a chunk, in as few bits as the largest needs. Reals
// are first multiplied by a power of ten. Source: libhdf5's H5Zscaleoffset.c, which checks neither the size
// of its input nor that of its output.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/codecs/bit_reader.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

// Positions in the client data.
enum ScaleOffsetParameter : size_t {
  kScaleType,
  kScaleFactor,
  kCount,
  kClass,
  kSize,
  kSign,
  kOrder,
  kHasFill,
  kFill
};
constexpr size_t kParameters = 20;
constexpr unsigned kDecimalScale = 0, kIntegerScale = 2;
constexpr unsigned kReal = 1;
constexpr size_t kHeader = 21;  // u32 bits per number, u8 bytes of the least one, and room for 16 of them

class Hdf5ScaleOffset : public Codec {
 public:
  explicit Hdf5ScaleOffset(std::span<const unsigned> client_data)
      : values_(client_data.begin(), client_data.end()) {}

  Bytes decode(Bytes encoded, DecodedSize size) const override {
    check_parameters();
    const uint64_t number_size = values_[kSize], count = values_[kCount];
    check_decoded_size("scale-offset", count * number_size, size);
    if (!is_real() && static_cast<int>(values_[kScaleFactor]) == static_cast<int>(8 * number_size)) {
      check_decoded_size("scale-offset", encoded.size(), size);  // all bits are stored
      return encoded;
    }
    if (encoded.size() < kHeader)
      throw damaged("scale-offset: {} bytes are too short for a header", encoded.size());
    const uint64_t bits = load_little<uint32_t>(encoded.data());
    if (bits > 8 * number_size)
      throw damaged("scale-offset: {} bits for numbers of {} bytes", bits, number_size);
    const uint64_t wanted = divide_up(count * bits, 8);
    if (encoded.size() - kHeader < wanted)
      throw damaged("scale-offset: {} bytes, expected {}", encoded.size(), kHeader + wanted);
    switch (number_size) {
      case 1:
        return decode_numbers<uint8_t, void>(encoded);
      case 2:
        return decode_numbers<uint16_t, void>(encoded);
      case 4:
        return is_real() ? decode_numbers<uint32_t, float>(encoded) : decode_numbers<uint32_t, void>(encoded);
      default:
        return is_real() ? decode_numbers<uint64_t, double>(encoded)
                         : decode_numbers<uint64_t, void>(encoded);
    }
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }

 private:
  bool is_real() const { return values_[kClass] == kReal; }

  void check_parameters() const {
    if (values_.size() != kParameters)
      throw damaged("scale-offset: invalid number of parameters: {}", values_.size());
    const unsigned size = values_[kSize];
    if (values_[kClass] > kReal) throw damaged("scale-offset: invalid number class {}", values_[kClass]);
    if (is_real() ? size != 4 && size != 8 : size != 1 && size != 2 && size != 4 && size != 8)
      throw damaged("scale-offset: invalid numbers of {} bytes", size);
    if (values_[kScaleType] != (is_real() ? kDecimalScale : kIntegerScale))
      throw damaged("scale-offset: invalid scale type {}", values_[kScaleType]);
    if (!is_real() && static_cast<int>(values_[kScaleFactor]) > static_cast<int>(8 * size))
      throw damaged("scale-offset: {} bits for numbers of {} bytes", values_[kScaleFactor], size);
    if (values_[kOrder] > 1 || values_[kHasFill] > 1)
      throw damaged("scale-offset: invalid byte order {} or fill {}", values_[kOrder], values_[kHasFill]);
  }

  // Word: the unsigned number of that size. Real: void for integers, since addition is the same for signed
  // and unsigned. Requires: the checks of decode().
  template <class Word, class Real>
  Bytes decode_numbers(const Bytes& encoded) const {
    const auto bits = static_cast<unsigned>(load_little<uint32_t>(encoded.data()));
    const size_t count = values_[kCount];
    const bool is_big = values_[kOrder] == 1;
    Bytes out(count * sizeof(Word));
    if (bits == 8 * sizeof(Word)) {  // numbers stored unchanged
      for (size_t i = 0; i < count; ++i)
        store(load_little<Word>(encoded.data() + kHeader + i * sizeof(Word)), is_big, out.data(), i);
      return out;
    }
    uint64_t least = 0;
    for (unsigned i = std::min(8u, static_cast<unsigned>(encoded[4])); i-- > 0;)
      least = least << 8 | static_cast<uint64_t>(encoded[5 + i]);
    const auto fill = static_cast<Word>(uint64_t{values_[kFill]} | uint64_t{values_[kFill + 1]} << 32);
    const bool has_fill = values_[kHasFill] == 1;
    const uint64_t fill_mark = (uint64_t{1} << bits) - 1;
    BitReader reader("scale-offset", ByteSpan(encoded).subspan(kHeader));
    using Scale = std::conditional_t<std::is_void_v<Real>, float, Real>;
    const Scale power = std::pow(Scale{10}, static_cast<Scale>(static_cast<int>(values_[kScaleFactor])));
    const auto decode_one = [&](uint64_t stored) -> Word {
      if (has_fill && stored == fill_mark) return fill;
      if constexpr (std::is_void_v<Real>) {
        return static_cast<Word>(stored + least);
      } else {
        const Real low = std::bit_cast<Real>(static_cast<Word>(least));
        return std::bit_cast<Word>(static_cast<Real>(static_cast<std::make_signed_t<Word>>(stored)) / power +
                                   low);
      }
    };
    for (size_t i = 0; i < count; ++i) store(decode_one(reader.read(bits)), is_big, out.data(), i);
    return out;
  }

  template <class Word>
  static void store(Word value, bool is_big, std::byte* out, size_t i) {
    if (is_big != (std::endian::native == std::endian::big)) value = byte_swapped(value);
    std::memcpy(out + i * sizeof value, &value, sizeof value);
  }

  std::vector<unsigned> values_;
};

}  // namespace

// The client data may be meaningless if every chunk omits the filter, as with n-bit.
CodecPtr hdf5_scale_offset_codec(std::span<const unsigned> client_data) {
  return std::make_unique<Hdf5ScaleOffset>(client_data);
}

}  // namespace plainfs
