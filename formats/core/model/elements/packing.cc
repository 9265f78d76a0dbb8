// Conversions between stored records, Elements, and the packed records of an .npy.
#include <algorithm>
#include <bit>
#include <cstring>

#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/model/elements/elements.h"

namespace plainfs {

namespace {

// Elements are native and pack() copies them, so the .npy is little-endian only on little-endian machines.
static_assert(std::endian::native == std::endian::little);

// Returns the number of bytes that are swapped together if the byte order is not native.
uint32_t swap_unit(const DType& type) {
  switch (type.kind) {
    case Kind::fixed_text:
    case Kind::opaque:
      return 1;
    case Kind::fixed_utf32:
      return 4;
    case Kind::complex:
      return type.size / 2;
    default:
      break;
  }
  return type.size;
}

void make_native(const DType& type, Bytes& bytes) {
  if (!type.big_endian) return;
  switch (swap_unit(type)) {
    case 1:
      return;
    case 2:
      return swap_all<uint16_t>(bytes);
    case 4:
      return swap_all<uint32_t>(bytes);
    case 8:
      return swap_all<uint64_t>(bytes);
  }
  throw unsupported("{} in big-endian order", type.name());
}

template <size_t kBytes>
void copy_column_of(const std::byte* from, size_t from_step, std::byte* to, size_t to_step, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, kBytes);
}

// Copies `count` pieces of `size` bytes, spaced from_step bytes apart, to positions to_step bytes apart.
void copy_column(const std::byte* from, size_t from_step, std::byte* to, size_t to_step, size_t size,
                 uint64_t count) {
  if (size == 0 || count == 0) return;
  if (from_step == size && to_step == size) {
    std::memcpy(to, from, size * count);
    return;
  }
  switch (size) {
    case 1:
      return copy_column_of<1>(from, from_step, to, to_step, count);
    case 2:
      return copy_column_of<2>(from, from_step, to, to_step, count);
    case 4:
      return copy_column_of<4>(from, from_step, to, to_step, count);
    case 8:
      return copy_column_of<8>(from, from_step, to, to_step, count);
  }
  for (uint64_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, size);
}

Elements unpack_fields(const DType& type, ByteSpan stored, uint64_t count) {
  Elements result;
  result.count = count;
  result.children.reserve(type.fields.size());
  for (const Field& field : type.fields) {
    const uint32_t size = field.type.size;
    if (field.offset > type.size || size > type.size - field.offset) {
      throw damaged("field '{}' of {} bytes at byte {} is outside its record of {} bytes", field.name, size,
                    field.offset, type.size);
    }
    Bytes column(checked_size(count, size));
    if (!column.empty())
      copy_column(stored.data() + field.offset, type.size, column.data(), size, size, count);
    result.children.push_back(unpack(field.type, std::move(column), count));
  }
  return result;
}

Elements unpack_items(const DType& type, Bytes&& stored, uint64_t count) {
  const uint64_t items = type.items();
  if (checked_multiply(items, type.item->size) != type.size) {
    throw damaged("{} items of {} bytes, expected {} bytes", items, type.item->size, type.size);
  }
  Elements result;
  result.count = count;
  result.children.push_back(unpack(*type.item, std::move(stored), checked_multiply(count, items)));
  return result;
}

// Throws damaged unless each byte of a boolean is 0 or 1: any other value has no defined meaning.
void check_truth_values(const Bytes& values) {
  std::byte all{0};  // no early exit, so that the loop is vectorised
  for (const std::byte value : values) all |= value;
  if (all <= std::byte{1}) return;
  const auto wrong =
      std::find_if(values.begin(), values.end(), [](std::byte value) { return value > std::byte{1}; });
  throw damaged("a truth value is {}, expected 0 or 1", std::to_integer<unsigned>(*wrong));
}

void check_stored(const DType& type, size_t stored, uint64_t count) {
  if (!type.fixed_size()) throw unsupported("{} has no fixed size", type.name());
  const uint64_t expected = checked_multiply(count, type.size);
  if (stored != expected) {
    throw damaged("{} bytes for {} elements of {} bytes, expected {}", stored, count, type.size, expected);
  }
}

// Writes elements [first, first + count), spaced `step` bytes apart.
void pack_strided(const DType& type, const Elements& elements, uint64_t first, uint64_t count, std::byte* out,
                  size_t step) {
  switch (layout_of(type)) {
    case Layout::flat:
      copy_column(elements.bytes.data() + first * type.size, type.size, out, step, type.size, count);
      return;
    case Layout::array: {
      const uint64_t items = type.items();
      const size_t item_size = type.item->packed_size();
      if (step == items * item_size) {
        return pack_strided(*type.item, elements.children[0], first * items, count * items, out, item_size);
      }
      for (uint64_t i = 0; i < count; ++i) {
        pack_strided(*type.item, elements.children[0], (first + i) * items, items, out + i * step, item_size);
      }
      return;
    }
    case Layout::compound:
      for (size_t f = 0; f < type.fields.size(); ++f) {
        pack_strided(type.fields[f].type, elements.children[f], first, count, out, step);
        if (count > 0) out += type.fields[f].type.packed_size();  // without elements, `out` may be null
      }
      return;
    case Layout::heap:
    case Layout::sequence:
      break;
  }
  throw unsupported("{} has no fixed size", type.name());
}

}  // namespace

Elements unpack(const DType& type, ByteSpan stored, uint64_t count) {
  check_stored(type, stored.size(), count);
  if (type.kind == Kind::compound) return unpack_fields(type, stored, count);
  Bytes copy(stored.size());
  if (!copy.empty()) std::memcpy(copy.data(), stored.data(), copy.size());
  return unpack(type, std::move(copy), count);
}

Elements unpack(const DType& type, Bytes&& stored, uint64_t count) {
  check_stored(type, stored.size(), count);
  if (type.kind == Kind::compound) return unpack_fields(type, stored, count);
  if (type.kind == Kind::array) return unpack_items(type, std::move(stored), count);
  if (type.kind == Kind::boolean) check_truth_values(stored);
  make_native(type, stored);
  Elements result;
  result.count = count;
  result.bytes = std::move(stored);
  return result;
}

void pack(const DType& type, const Elements& elements, uint64_t first, uint64_t count, std::byte* out) {
  pack_strided(type, elements, first, count, out, type.packed_size());
}

std::string_view trim_padding(std::string_view stored, Padding padding) {
  if (padding == Padding::null_terminated) return stored.substr(0, stored.find('\0'));
  const size_t last = stored.find_last_not_of(padding == Padding::null_padded ? '\0' : ' ');
  return stored.substr(0, last + 1);
}

}  // namespace plainfs
