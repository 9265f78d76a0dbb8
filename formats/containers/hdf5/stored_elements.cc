#include "formats/containers/hdf5/stored_elements.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/elements/r_missing.h"

namespace plainfs::hdf5 {
namespace {

using Form = StoredType::Form;

class Decoder {
 public:
  explicit Decoder(const Pointees* pointees) : pointees_(pointees) {
    if (pointees) heap_.emplace(pointees->heap);
  }

  Elements decode(const StoredType& type, ByteSpan stored, uint64_t count);

 private:
  Elements text(const StoredType& type, ByteSpan stored, uint64_t count);
  Elements sequence(const StoredType& type, ByteSpan stored, uint64_t count);
  Elements reference(const StoredType& type, ByteSpan stored, uint64_t count);
  Elements complex(const StoredType& type, ByteSpan stored, uint64_t count);
  Elements compound(const StoredType& type, ByteSpan stored, uint64_t count);
  Elements array(const StoredType& type, ByteSpan stored, uint64_t count);
  Elements field(const StoredType& record, size_t number, ByteSpan stored, uint64_t count);
  ByteSpan pointed_at(ByteSpan stored, uint64_t item_size);
  HeapReader& heap();

  const Pointees* pointees_;
  std::optional<HeapReader> heap_;
};

uint64_t load_bits(const BitLayout& bits, const std::byte* at, uint64_t size) {
  uint64_t value = 0;
  for (uint64_t i = 0; i < size; ++i) {
    const std::byte byte = bits.big_endian ? at[i] : at[size - 1 - i];
    value = value << 8 | static_cast<uint64_t>(byte);
  }
  return value;
}

uint64_t part_of(uint64_t value, unsigned offset, unsigned width) {
  const uint64_t mask = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  return width == 0 ? 0 : (value >> offset) & mask;
}

Elements odd_integers(const StoredType& type, ByteSpan stored, uint64_t count) {
  Elements result = zero_elements(type.dtype, count);
  const BitLayout& bits = type.bits;
  visit_number(type.dtype, [&](auto number) {
    using T = decltype(number);
    if constexpr (std::is_integral_v<T>) {
      const auto out = result.mutable_values<T>();
      for (uint64_t i = 0; i < count; ++i) {
        uint64_t value =
            part_of(load_bits(bits, stored.data() + i * type.size, type.size), bits.offset, bits.precision);
        const bool negative = bits.is_signed && part_of(value, bits.precision - 1, 1);
        if (negative && bits.precision < 64) value |= ~uint64_t{0} << bits.precision;
        out[i] = static_cast<T>(value);
      }
    }
  });
  return result;
}

double odd_real(const BitLayout& bits, uint64_t value) {
  const uint64_t exponent = part_of(value, bits.exponent, bits.exponent_bits);
  const uint64_t mantissa = part_of(value, bits.mantissa, bits.mantissa_bits);
  const double sign = part_of(value, bits.sign, 1) ? -1.0 : 1.0;
  if (exponent == (uint64_t{1} << bits.exponent_bits) - 1)
    return mantissa ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (bits.bias > 1 << 20) throw damaged("invalid floating-point type: exponent bias {}", bits.bias);
  const int width = static_cast<int>(bits.mantissa_bits);
  const int lowest = -static_cast<int>(bits.bias) - (bits.implied_one ? width : width - 1);
  double magnitude;
  if (!bits.implied_one) {
    magnitude = std::ldexp(static_cast<double>(mantissa), static_cast<int>(exponent) + lowest);
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(mantissa), 1 + lowest);
  } else {
    magnitude =
        std::ldexp(static_cast<double>(mantissa | uint64_t{1} << width), static_cast<int>(exponent) + lowest);
  }
  if (std::isinf(magnitude) || (magnitude == 0 && mantissa != 0))
    throw unsupported("a floating-point number beyond the range of 64 bits");
  return sign * magnitude;
}

Elements odd_reals(const StoredType& type, ByteSpan stored, uint64_t count) {
  Elements result = zero_elements(type.dtype, count);
  for (uint64_t i = 0; i < count; ++i) {
    const double value = odd_real(type.bits, load_bits(type.bits, stored.data() + i * type.size, type.size));
    if (type.dtype.size == 8) {
      result.mutable_values<double>()[i] = value;
      continue;
    }
    const auto single = static_cast<float>(value);
    if (!std::isnan(value) && static_cast<double>(single) != value)
      throw unsupported("a floating-point number beyond the range of 32 bits");
    result.mutable_values<float>()[i] = single;
  }
  return result;
}

// Equals PyTables' typeconv.c to the last bit.
Elements timevals(const StoredType& type, ByteSpan stored, uint64_t count) {
  Elements result = zero_elements(type.dtype, count);
  const auto out = result.mutable_values<double>();
  for (uint64_t i = 0; i < count; ++i) {
    const std::byte* const at = stored.data() + 8 * i;
    const int64_t both = type.bits.big_endian ? load_big<int64_t>(at) : load_little<int64_t>(at);
    out[i] = 1e-6 * static_cast<double>(static_cast<int32_t>(both)) + static_cast<double>(both >> 32);
  }
  return result;
}

HeapReader& Decoder::heap() {
  if (!heap_) throw damaged("unexpected variable-length data");
  return *heap_;
}

// Follows a reference: u32 number of items, address of the collection, u32 index in it. A reference that was
// never written is all zero.
ByteSpan Decoder::pointed_at(ByteSpan stored, uint64_t item_size) {
  const unsigned address_size = heap().layout().address_size;
  const uint64_t items = load_unsigned(stored.data(), 4);
  const uint64_t address = load_unsigned(stored.data() + 4, address_size);
  const auto index = static_cast<uint32_t>(load_unsigned(stored.data() + 4 + address_size, 4));
  if (items == 0) return {};
  if (address == 0) throw damaged("{} variable-length items at a null address", items);
  return heap().read(address, index, items * item_size);  // 32 by 32 bits cannot overflow
}

Elements Decoder::text(const StoredType& type, ByteSpan stored, uint64_t count) {
  TextBuilder builder(count);
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view value = as_text(pointed_at(stored.subspan(i * type.size, type.size), 1));
    if (value.ends_with('\0')) value.remove_suffix(1);  // some writers store the terminator
    builder.add(value);
  }
  return builder.finish();
}

Elements Decoder::sequence(const StoredType& type, ByteSpan stored, uint64_t count) {
  const StoredType& item = type.items[0];
  Elements result;
  result.count = count;
  result.offsets.reserve(count + 1);
  result.offsets.push_back(0);
  Bytes items;
  for (uint64_t i = 0; i < count; ++i) {
    const ByteSpan value = pointed_at(stored.subspan(i * type.size, type.size), item.size);
    items.insert(items.end(), value.begin(), value.end());
    result.offsets.push_back(items.size() / item.size);
  }
  const uint64_t total = result.offsets.back();
  result.children.push_back(decode(item, items, total));
  return result;
}

Elements Decoder::reference(const StoredType& type, ByteSpan stored, uint64_t count) {
  const unsigned address_size = heap().layout().address_size;
  TextBuilder builder(count);
  for (uint64_t i = 0; i < count; ++i) {
    const std::byte* at = stored.data() + i * type.size;
    uint64_t address = load_unsigned(at, address_size);
    if (address != 0 && type.form == Form::region_reference) {
      const auto index = static_cast<uint32_t>(load_unsigned(at + address_size, 4));
      address = load_unsigned(heap().read(address, index, address_size).data(), address_size);
    }
    const std::optional<std::string> path = address == 0 ? std::nullopt : pointees_->path_of(address);
    if (path)
      builder.add(*path);
    else
      builder.add_missing();
  }
  return builder.finish();
}

// Decodes one member of every record.
Elements Decoder::field(const StoredType& record, size_t number, ByteSpan stored, uint64_t count) {
  const StoredField& member = record.fields[number];
  Bytes gathered(count * member.type.size);
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(gathered.data() + i * member.type.size, stored.data() + i * record.size + member.offset,
                member.type.size);
  return decode(member.type, gathered, count);
}

Elements Decoder::complex(const StoredType& type, ByteSpan stored, uint64_t count) {
  const uint32_t part = type.dtype.size / 2;
  Elements result = zero_elements(type.dtype, count);
  for (size_t number = 0; number < 2; ++number) {
    const Elements parts = field(type, number, stored, count);
    for (uint64_t i = 0; i < count; ++i)
      std::memcpy(result.bytes.data() + i * type.dtype.size + number * part, parts.bytes.data() + i * part,
                  part);
  }
  return result;
}

Elements Decoder::compound(const StoredType& type, ByteSpan stored, uint64_t count) {
  Elements result;
  result.count = count;
  for (size_t number = 0; number < type.fields.size(); ++number)
    result.children.push_back(field(type, number, stored, count));
  return result;
}

Elements Decoder::array(const StoredType& type, ByteSpan stored, uint64_t count) {
  const StoredType& item = type.items[0];
  Elements result;
  result.count = count;
  result.children.push_back(decode(item, stored, item.size ? stored.size() / item.size : 0));
  return result;
}

// Returns truth values for the enumeration FALSE 0, TRUE 1. No other value has a name.
Elements truth_values(const Elements& integers, const StoredType& type) {
  Elements result = zero_elements(type.dtype, integers.count);
  visit_number(type.items[0].dtype, [&](auto number) {
    using T = decltype(number);
    if constexpr (std::is_integral_v<T>) {
      for (uint64_t i = 0; i < integers.count; ++i) {
        const T value = integers.values<T>()[i];
        if (value != 0 && value != 1) throw damaged("a truth value is {}, expected 0 or 1", value);
        result.bytes[i] = std::byte{value == 1};
      }
    }
  });
  return result;
}

// Marks missing values of the enumeration FALSE 0, TRUE 1, NA 2. R itself stores its least integer for NA.
void mark_not_available(Elements& integers, const DType& dtype) {
  integers.missing.assign(integers.count, 0);
  visit_number(dtype, [&](auto number) {
    using T = decltype(number);
    if constexpr (std::is_integral_v<T>) {
      for (uint64_t i = 0; i < integers.count; ++i) {
        const T value = integers.values<T>()[i];
        integers.missing[i] = value == 2 || std::cmp_equal(value, kRMissingInteger);
        if (!integers.missing[i] && value != 0 && value != 1)
          throw damaged("a logical value is {}, expected 0 or 1", value);
      }
    }
  });
}

Elements Decoder::decode(const StoredType& type, ByteSpan stored, uint64_t count) {
  if (stored.size() != checked_multiply(count, type.size))
    throw damaged("{2} bytes for {0} elements of {1} bytes", count, type.size, stored.size());
  switch (type.form) {
    case Form::plain:
    case Form::bit_field:
      return unpack(type.dtype, stored, count);
    case Form::odd_integer:
      return odd_integers(type, stored, count);
    case Form::odd_real:
      return odd_reals(type, stored, count);
    case Form::timeval:
      return timevals(type, stored, count);
    case Form::boolean:
      return truth_values(decode(type.items[0], stored, count), type);
    case Form::logical: {
      Elements integers = decode(type.items[0], stored, count);
      mark_not_available(integers, type.items[0].dtype);
      return integers;
    }
    case Form::text:
      return text(type, stored, count);
    case Form::sequence:
      return sequence(type, stored, count);
    case Form::object_reference:
    case Form::region_reference:
      return reference(type, stored, count);
    case Form::complex:
      return complex(type, stored, count);
    case Form::compound:
      return compound(type, stored, count);
    case Form::array:
      return array(type, stored, count);
  }
  throw damaged("unknown form of an element");
}

}  // namespace

Elements decode(const StoredType& type, Bytes&& stored, uint64_t count, const Pointees& pointees) {
  if (type.form == Form::plain) return unpack(type.dtype, std::move(stored), count);
  return Decoder(&pointees).decode(type, stored, count);
}

Elements decode_fixed(const StoredType& type, ByteSpan stored, uint64_t count) {
  return Decoder(nullptr).decode(type, stored, count);
}

}  // namespace plainfs::hdf5
