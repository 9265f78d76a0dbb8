#include "formats/model/elements.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "formats/model/checked.h"
#include "formats/model/cursor.h"

namespace plainfs {

namespace {

// Elements are native and pack() copies them: the .npy this makes is little-endian on such machines only.
static_assert(std::endian::native == std::endian::little);

// Items of an array element.
uint64_t items_of(const DType& type) {
  uint64_t count = 1;
  for (const uint64_t dim : type.dims) count = checked_multiply(count, dim);
  return count;
}

// count * size as something that can be allocated.
size_t byte_count(uint64_t count, uint64_t size) {
  const uint64_t bytes = checked_multiply(count, size);
  if (bytes > static_cast<uint64_t>(std::numeric_limits<ptrdiff_t>::max())) {
    throw damaged("{} elements of {} bytes are too many", count, size);
  }
  return bytes;
}

void append_bytes(Bytes& target, const std::byte* source, size_t size) {
  if (size == 0) return;
  const size_t before = target.size();
  target.resize(before + size);
  std::memcpy(target.data() + before, source, size);
}

// Puts count copies of what out holds one after the other.
void repeat_bytes(Bytes& out, uint64_t count) {
  const size_t one = out.size();
  const size_t all = byte_count(count, one);
  out.resize(all);
  for (size_t done = one; done < all; done *= 2) {
    std::memcpy(out.data() + done, out.data(), std::min(done, all - done));
  }
}

// offsets of `count` runs of elements as offsets has one of.
void repeat_offsets(std::vector<uint64_t>& offsets, uint64_t count) {
  const size_t one = offsets.size() - 1;
  const uint64_t step = offsets.back();
  checked_multiply(step, count);
  std::vector<uint64_t> all(byte_count(count, one) + 1);
  for (uint64_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < one; ++i) all[k * one + i + 1] = k * step + offsets[i + 1];
  }
  offsets = std::move(all);
}

// count copies of a run of elements, whatever its length.
Elements repeated_run(const DType& type, const Elements& run, uint64_t count) {
  Elements result = run;
  result.count = checked_multiply(run.count, count);
  if (!run.missing.empty()) {
    result.missing.clear();
    result.missing.reserve(result.count);
    for (uint64_t k = 0; k < count; ++k) {
      result.missing.insert(result.missing.end(), run.missing.begin(), run.missing.end());
    }
  }
  repeat_bytes(result.bytes, count);
  if (!run.offsets.empty()) repeat_offsets(result.offsets, count);
  for (size_t i = 0; i < run.children.size(); ++i) {
    const DType& child = type.kind == Kind::compound ? type.fields[i].type : *type.item;
    result.children[i] = repeated_run(child, run.children[i], count);
  }
  return result;
}

template <class T>
void swap_all(Bytes& bytes) {
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    const T swapped = load_big<T>(bytes.data() + i);
    std::memcpy(bytes.data() + i, &swapped, sizeof swapped);
  }
}

// Bytes of what is swapped as one when the byte order is not ours.
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
      return type.size;
  }
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

// count pieces of size bytes, one every from_step bytes, to one every to_step bytes.
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
    Bytes column(byte_count(count, size));
    if (!column.empty())
      copy_column(stored.data() + field.offset, type.size, column.data(), size, size, count);
    result.children.push_back(unpack(field.type, std::move(column), count));
  }
  return result;
}

Elements unpack_items(const DType& type, Bytes&& stored, uint64_t count) {
  const uint64_t items = items_of(type);
  if (checked_multiply(items, type.item->size) != type.size) {
    throw damaged("{} items of {} bytes are not {} bytes", items, type.item->size, type.size);
  }
  Elements result;
  result.count = count;
  result.children.push_back(unpack(*type.item, std::move(stored), checked_multiply(count, items)));
  return result;
}

void check_stored(const DType& type, size_t stored, uint64_t count) {
  if (!type.fixed_size()) throw unsupported("{} has no fixed size", type.name());
  const uint64_t expected = checked_multiply(count, type.size);
  if (stored != expected) {
    throw damaged("{} bytes for {} elements of {} bytes, expected {}", stored, count, type.size, expected);
  }
}

// Writes elements [first, first + count), one every step bytes.
void pack_strided(const DType& type, const Elements& elements, uint64_t first, uint64_t count, std::byte* out,
                  size_t step) {
  switch (layout_of(type)) {
    case Layout::flat:
      copy_column(elements.bytes.data() + first * type.size, type.size, out, step, type.size, count);
      return;
    case Layout::array: {
      const uint64_t items = items_of(type);
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
        out += type.fields[f].type.packed_size();
      }
      return;
    case Layout::heap:
    case Layout::sequence:
      break;
  }
  throw unsupported("{} has no fixed size", type.name());
}

// target.count and source.count are still those before the append.
void append_missing(Elements& target, const Elements& source, uint64_t first, uint64_t count) {
  if (target.missing.empty() && source.missing.empty()) return;
  target.missing.resize(target.count + count);
  if (source.missing.empty()) return;
  std::copy_n(source.missing.begin() + static_cast<ptrdiff_t>(first), count,
              target.missing.begin() + static_cast<ptrdiff_t>(target.count));
}

// Appends where the elements end; returns what those offsets span in source.
std::pair<uint64_t, uint64_t> append_offsets(Elements& target, const Elements& source, uint64_t first,
                                             uint64_t count) {
  const uint64_t begin = source.offsets[first];
  const uint64_t end = source.offsets[first + count];
  const uint64_t shift = target.offsets.back() - begin;
  const size_t before = target.offsets.size();
  target.offsets.resize(before + count);
  for (uint64_t i = 0; i < count; ++i) target.offsets[before + i] = source.offsets[first + 1 + i] + shift;
  return {begin, end};
}

void check_offsets(const Elements& elements, uint64_t end) {
  const std::vector<uint64_t>& offsets = elements.offsets;
  if (offsets.size() != elements.count + 1 || offsets.front() != 0 || offsets.back() != end ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    throw damaged("the offsets of {} elements do not fit {} values", elements.count, end);
  }
}

}  // namespace

size_t Elements::allocated_bytes() const {
  size_t sum = bytes.capacity() + offsets.capacity() * sizeof(uint64_t) + missing.capacity() +
               children.capacity() * sizeof(Elements);
  for (const Elements& child : children) sum += child.allocated_bytes();
  return sum;
}

Layout layout_of(const DType& type) {
  switch (type.kind) {
    case Kind::text:
    case Kind::blob:
    case Kind::json:
    case Kind::reference:
      return Layout::heap;
    case Kind::sequence:
      return Layout::sequence;
    case Kind::array:
      return Layout::array;
    case Kind::compound:
      return Layout::compound;
    default:
      return Layout::flat;
  }
}

Elements zero_elements(const DType& type, uint64_t count) {
  Elements result;
  result.count = count;
  switch (layout_of(type)) {
    case Layout::flat:
      result.bytes.assign(byte_count(count, type.size), std::byte{0});
      break;
    case Layout::heap:
      result.offsets.assign(byte_count(count, 1) + 1, 0);
      break;
    case Layout::sequence:
      result.offsets.assign(byte_count(count, 1) + 1, 0);
      result.children.push_back(zero_elements(*type.item, 0));
      break;
    case Layout::array:
      result.children.push_back(zero_elements(*type.item, checked_multiply(count, items_of(type))));
      break;
    case Layout::compound:
      for (const Field& field : type.fields) result.children.push_back(zero_elements(field.type, count));
      break;
  }
  return result;
}

Elements repeated_element(const DType& type, const Elements& one, uint64_t count) {
  return repeated_run(type, one, count);
}

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
  make_native(type, stored);
  Elements result;
  result.count = count;
  result.bytes = std::move(stored);
  return result;
}

void pack(const DType& type, const Elements& elements, uint64_t first, uint64_t count, Bytes& out) {
  const uint64_t size = type.packed_size();
  const size_t before = out.size();
  out.resize(before + byte_count(count, size));
  pack_strided(type, elements, first, count, out.data() + before, size);
}

void append(const DType& type, Elements& target, const Elements& source, uint64_t first, uint64_t count) {
  if (target.count == 0 && target.offsets.empty() && target.children.empty()) target = zero_elements(type, 0);
  if (count == 0) return;
  append_missing(target, source, first, count);
  switch (layout_of(type)) {
    case Layout::flat:
      append_bytes(target.bytes, source.bytes.data() + first * type.size, count * type.size);
      break;
    case Layout::heap: {
      const auto [begin, end] = append_offsets(target, source, first, count);
      append_bytes(target.bytes, source.bytes.data() + begin, end - begin);
      break;
    }
    case Layout::sequence: {
      const auto [begin, end] = append_offsets(target, source, first, count);
      append(*type.item, target.children[0], source.children[0], begin, end - begin);
      break;
    }
    case Layout::array: {
      const uint64_t items = items_of(type);
      append(*type.item, target.children[0], source.children[0], first * items, count * items);
      break;
    }
    case Layout::compound:
      for (size_t f = 0; f < type.fields.size(); ++f) {
        append(type.fields[f].type, target.children[f], source.children[f], first, count);
      }
      break;
  }
  target.count += count;
}

void check_layout(const DType& type, const Elements& elements, uint64_t count) {
  if (elements.count != count) throw damaged("{} elements, expected {}", elements.count, count);
  if (!elements.missing.empty() && elements.missing.size() != count) {
    throw damaged("{} missing marks for {} elements", elements.missing.size(), count);
  }
  const Layout layout = layout_of(type);
  const size_t children = layout == Layout::compound                              ? type.fields.size()
                          : layout == Layout::sequence || layout == Layout::array ? 1
                                                                                  : 0;
  if (elements.children.size() != children) {
    throw damaged("{} parts of {}, expected {}", elements.children.size(), type.name(), children);
  }
  switch (layout) {
    case Layout::flat:
      if (elements.bytes.size() != checked_multiply(count, type.size)) {
        throw damaged("{} bytes for {} elements of {} bytes", elements.bytes.size(), count, type.size);
      }
      return;
    case Layout::heap:
      return check_offsets(elements, elements.bytes.size());
    case Layout::sequence:
      check_offsets(elements, elements.children[0].count);
      return check_layout(*type.item, elements.children[0], elements.children[0].count);
    case Layout::array:
      return check_layout(*type.item, elements.children[0], checked_multiply(count, items_of(type)));
    case Layout::compound:
      for (size_t f = 0; f < children; ++f) check_layout(type.fields[f].type, elements.children[f], count);
  }
}

std::string_view trim_padding(std::string_view stored, Padding padding) {
  if (padding == Padding::null_terminated) return stored.substr(0, stored.find('\0'));
  const size_t last = stored.find_last_not_of(padding == Padding::null_padded ? '\0' : ' ');
  return stored.substr(0, last + 1);
}

TextBuilder::TextBuilder(uint64_t expected_count) {
  // A hint from a file: more than this is reserved as it comes.
  elements_.offsets.reserve(std::min<uint64_t>(expected_count, 1 << 20) + 1);
  elements_.offsets.push_back(0);
}

void TextBuilder::add(std::string_view text) {
  append_bytes(elements_.bytes, reinterpret_cast<const std::byte*>(text.data()), text.size());
  elements_.offsets.push_back(elements_.bytes.size());
  if (!elements_.missing.empty()) elements_.missing.push_back(0);
  ++elements_.count;
}

void TextBuilder::add_missing() {
  elements_.missing.resize(elements_.count);
  elements_.missing.push_back(1);
  elements_.offsets.push_back(elements_.bytes.size());
  ++elements_.count;
}

Elements TextBuilder::finish() {
  return std::move(elements_);
}

}  // namespace plainfs
