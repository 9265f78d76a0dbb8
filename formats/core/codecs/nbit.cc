// HDF5's n-bit filter: only the significant bits of each number are stored, without gaps. Its client data
// describe the type. Source: libhdf5's H5Znbit.c, which checks neither the size of its input nor that of its
// output.
#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/codecs/bit_reader.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

enum TypeClass : unsigned { kAtomic = 1, kArray = 2, kCompound = 3, kWhole = 4 };
constexpr unsigned kDeepestType = 32;

struct TypeExtent {
  uint64_t size;  // bytes
  uint64_t bits;  // of them stored
};

// The client data after the number of elements: class, size, and the parameters of the class.
class TypeDescription {
 public:
  explicit TypeDescription(std::span<const unsigned> values) : values_(values) {}

  // Checks a type. Throws damaged if the description is invalid. position: moved behind the description.
  TypeExtent check(size_t& position, unsigned depth = 0) const {
    if (depth > kDeepestType) throw unsupported("nbit: types nested {} deep", depth);
    const unsigned kind = value(position++);
    const uint64_t size = value(position++);
    if (size == 0) throw damaged("nbit: invalid type of no bytes");
    switch (kind) {
      case kAtomic:
        return {size, check_number(position, size)};
      case kArray: {
        const TypeExtent item = check(position, depth + 1);
        if (size % item.size != 0)
          throw damaged("nbit: {} bytes are not a whole number of items of {} bytes", size, item.size);
        return {size, checked_multiply(size / item.size, item.bits)};
      }
      case kCompound:
        return {size, check_members(position, size, depth)};
      case kWhole:
        return {size, 8 * size};
      default:
        throw damaged("nbit: invalid type class {}", kind);
    }
  }

  // Decodes one element. Requires: check() succeeded, and `out` is zeroed.
  void decode(size_t& position, BitReader& bits, std::byte* out) const {
    const unsigned kind = values_[position++];
    const size_t size = values_[position++];
    if (kind == kAtomic) {
      decode_number(position, size, bits, out);
    } else if (kind == kArray) {
      const size_t item = position, item_size = values_[item + 1];
      for (size_t done = 0; done < size; done += item_size) {
        position = item;
        decode(position, bits, out + done);
      }
    } else if (kind == kCompound) {
      for (unsigned left = values_[position++]; left > 0; --left) {
        const size_t offset = values_[position++];
        decode(position, bits, out + offset);
      }
    } else {
      for (size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(bits.read(8));
    }
  }

 private:
  unsigned value(size_t position) const {
    if (position >= values_.size()) throw damaged("nbit: {} parameters are too few", values_.size());
    return values_[position];
  }

  uint64_t check_number(size_t& position, uint64_t size) const {
    const unsigned order = value(position++), precision = value(position++), offset = value(position++);
    if (order > 1) throw damaged("nbit: invalid byte order {}", order);
    if (precision == 0) throw damaged("nbit: a number of 0 bits");
    if (uint64_t{precision} + offset > 8 * size)
      throw damaged("nbit: bits {} to {} are outside a number of {} bytes", offset,
                    uint64_t{offset} + precision - 1, size);
    return precision;
  }

  uint64_t check_members(size_t& position, uint64_t size, unsigned depth) const {
    uint64_t bits = 0, used = 0;
    for (unsigned left = value(position++); left > 0; --left) {
      const uint64_t offset = value(position++);
      const TypeExtent member = check(position, depth + 1);
      used += member.size;
      if (offset + member.size > size || used > size)
        throw damaged("nbit: a member is outside the {} bytes of its compound", size);
      bits = checked_add(bits, member.bits);
    }
    return bits;
  }

  void decode_number(size_t& position, size_t size, BitReader& bits, std::byte* out) const {
    const bool is_big = values_[position++] == 1;
    const unsigned precision = values_[position++], offset = values_[position++];
    const unsigned end = precision + offset;
    for (unsigned byte = (end - 1) / 8 + 1; byte-- > offset / 8;) {  // most significant byte first
      const unsigned low = std::max(8 * byte, offset), high = std::min(8 * byte + 8, end);
      const auto value = static_cast<unsigned>(bits.read(high - low)) << (low - 8 * byte);
      out[is_big ? size - 1 - byte : byte] = static_cast<std::byte>(value);
    }
  }

  std::span<const unsigned> values_;
};

class Nbit : public Codec {
 public:
  explicit Nbit(std::span<const unsigned> client_data) : values_(client_data.begin(), client_data.end()) {}

  Bytes decode(Bytes encoded, DecodedSize size) const override {
    // The type follows the number of values, whether all bits are stored, and the number of elements.
    constexpr size_t kType = 3;
    if (values_.size() < kType || values_[0] != values_.size())
      throw damaged("nbit: invalid number of parameters: {}", values_.size());
    if (values_[1] != 0) {
      check_decoded_size("nbit", encoded.size(), size);
      return encoded;
    }
    const TypeDescription type(values_);
    size_t end = kType;
    const TypeExtent element = type.check(end);
    const uint64_t count = values_[2];
    check_decoded_size("nbit", checked_multiply(count, element.size), size);
    const uint64_t bits = checked_multiply(count, element.bits);
    if (divide_up(bits, 8) > encoded.size())
      throw damaged("nbit: {} bytes, expected {}", encoded.size(), divide_up(bits, 8));
    Bytes out(count * element.size);
    std::fill(out.begin(), out.end(), std::byte{0});
    BitReader reader("nbit", encoded);
    for (uint64_t i = 0; i < count; ++i) {
      size_t position = kType;
      type.decode(position, reader, out.data() + i * element.size);
    }
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t) const override { return std::nullopt; }

 private:
  std::vector<unsigned> values_;
};

}  // namespace

// The client data are checked only when a chunk is decoded: libhdf5 adds the filter, without client data and
// omitted by every chunk, to types that it does not support.
CodecPtr nbit_codec(std::span<const unsigned> client_data) {
  return std::make_unique<Nbit>(client_data);
}

}  // namespace plainfs
