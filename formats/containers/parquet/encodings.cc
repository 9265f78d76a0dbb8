#include "formats/containers/parquet/encodings.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "formats/core/base/checked.h"
#include "formats/core/base/leb128.h"

namespace plainfs::parquet {
namespace {

constexpr unsigned kBitsInByte = 8;

int64_t zigzag(Cursor& in) {
  const uint64_t value = read_leb128(in);
  return static_cast<int64_t>(value >> 1 ^ (0 - (value & 1)));
}

// Returns the value of `width` bits that begins at a bit. The bytes behind `packed` are not touched.
uint64_t bits_at(ByteSpan packed, uint64_t bit, unsigned width) {
  uint64_t value = 0;
  unsigned taken = 0;
  while (taken < width) {
    const uint64_t at = bit + taken;
    const unsigned skipped = at % kBitsInByte, some = std::min(kBitsInByte - skipped, width - taken);
    const uint64_t byte = static_cast<uint8_t>(packed[at / kBitsInByte]);
    value |= (byte >> skipped & ((uint64_t{1} << some) - 1)) << taken;
    taken += some;
  }
  return value;
}

template <class T>
void unpack_into(ByteSpan packed, unsigned width, std::span<T> out) {
  constexpr unsigned kWordBits = 64;
  if (width == 0) return std::fill(out.begin(), out.end(), T{0});
  uint64_t i = 0;
  if (width <= kWordBits - kBitsInByte) {  // a value lies in the eight bytes from its first one
    const uint64_t mask = (uint64_t{1} << width) - 1;
    const uint64_t whole =
        packed.size() < sizeof(uint64_t)
            ? 0
            : std::min<uint64_t>(out.size(), ((packed.size() - sizeof(uint64_t)) * kBitsInByte) / width + 1);
    const std::byte* const from = packed.data();
    uint64_t bit = 0;
    for (; i < whole; ++i, bit += width)
      out[i] = static_cast<T>(load_little<uint64_t>(from + bit / kBitsInByte) >> bit % kBitsInByte & mask);
  }
  for (; i < out.size(); ++i) out[i] = static_cast<T>(bits_at(packed, i * width, width));
}

// Decodes the hybrid. T holds `width` bits.
template <class T>
void hybrid_into(ByteSpan encoded, unsigned width, std::span<T> out) {
  Cursor in(encoded);
  while (!out.empty()) {
    const uint64_t header = read_leb128(in), length = header >> 1;
    if (length == 0) throw damaged("an empty run of values");
    if ((header & 1) != 0) {
      const uint64_t stored = width == 0 ? out.size() : uint64_t{in.remaining()} * kBitsInByte / width;
      const uint64_t wanted = std::min<uint64_t>(out.size(), saturating_multiply(length, kBitsInByte));
      // Some writers cut the last group short.
      if (wanted > stored) throw damaged("{} packed values, expected {}", stored, wanted);
      const uint64_t bytes = std::min<uint64_t>(saturating_multiply(length, width), in.remaining());
      unpack_into(in.bytes(bytes), width, out.first(wanted));
      out = out.subspan(wanted);
    } else {
      uint64_t value = 0;
      const unsigned bytes = (width + kBitsInByte - 1) / kBitsInByte;
      for (unsigned i = 0; i < bytes; ++i) value |= uint64_t{in.byte()} << (i * kBitsInByte);
      if (value >> width != 0) throw damaged("a run of the value {} in {} bits", value, width);
      const uint64_t count = std::min<uint64_t>(length, out.size());
      std::fill_n(out.begin(), count, static_cast<T>(value));
      out = out.subspan(count);
    }
  }
}

void check_levels(std::span<const uint8_t> levels, uint8_t largest) {
  uint8_t most = 0;
  for (const uint8_t level : levels) most = std::max(most, level);
  if (most > largest) throw damaged("a level of {}, expected at most {}", most, largest);
}

Elements flat(uint64_t count, uint32_t element_bytes) {
  Elements elements;
  elements.count = count;
  elements.bytes.resize(checked_size(count, element_bytes));
  return elements;
}

Elements decode_truths(ByteSpan encoded, uint64_t count) {
  if (divide_up(count, kBitsInByte) > encoded.size())
    throw damaged("{} bytes for {} truth values", encoded.size(), count);
  Elements elements = flat(count, 1);
  unpack_into(encoded, 1, elements.mutable_values<uint8_t>());
  return elements;
}

Elements decode_texts(ByteSpan encoded, uint64_t count, uint64_t max_bytes) {
  constexpr uint64_t kLengthBytes = sizeof(uint32_t);
  if (count > encoded.size() / kLengthBytes) throw damaged("{} bytes for {} texts", encoded.size(), count);
  check_page_bytes(encoded.size() + count * sizeof(uint64_t), max_bytes);
  Elements elements;
  elements.count = count;
  elements.offsets.resize(count + 1);
  elements.bytes.resize(encoded.size() - count * kLengthBytes);
  const std::byte* from = encoded.data();
  const std::byte* const end = from + encoded.size();
  uint64_t to = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (static_cast<size_t>(end - from) < kLengthBytes) throw damaged("the page ends before text {}", i);
    const uint64_t length = load_little<uint32_t>(from);
    from += kLengthBytes;
    if (length > static_cast<size_t>(end - from) || length > elements.bytes.size() - to)
      throw damaged("text {} has {} bytes, and {} are left", i, length, end - from);
    std::copy_n(from, length, elements.bytes.begin() + static_cast<ptrdiff_t>(to));
    from += length;
    elements.offsets[i + 1] = to += length;
  }
  elements.bytes.resize(to);
  return elements;
}

// The lengths of `count` texts, or of their prefixes.
std::vector<uint64_t> decode_lengths(Cursor& in, uint64_t count, uint64_t max_bytes) {
  check_page_bytes(saturating_multiply(count, 2 * sizeof(uint64_t)), max_bytes);
  const std::vector<int32_t> stored = decode_delta<int32_t>(in, count, true);
  std::vector<uint64_t> lengths(count);
  for (uint64_t i = 0; i < count; ++i) {
    if (stored[i] < 0) throw damaged("text {} has a length of {}", i, stored[i]);
    lengths[i] = static_cast<uint64_t>(stored[i]);
  }
  return lengths;
}

Elements decode_delta_lengths(Cursor& in, uint64_t count, uint64_t max_bytes) {
  const std::vector<uint64_t> lengths = decode_lengths(in, count, max_bytes);
  Elements elements;
  elements.count = count;
  elements.offsets.resize(count + 1);
  for (uint64_t i = 0; i < count; ++i) elements.offsets[i + 1] = elements.offsets[i] + lengths[i];
  const ByteSpan bytes = in.bytes(elements.offsets.back());
  elements.bytes.assign(bytes.begin(), bytes.end());
  return elements;
}

Elements decode_delta_texts(ByteSpan encoded, uint64_t count, uint64_t max_bytes) {
  Cursor in(encoded);
  const std::vector<uint64_t> prefixes = decode_lengths(in, count, max_bytes);
  const Elements suffixes = decode_delta_lengths(in, count, max_bytes);
  Elements elements;
  elements.count = count;
  elements.offsets.resize(count + 1);
  uint64_t before = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (prefixes[i] > before)
      throw damaged("text {} shares {} bytes with one of {} bytes", i, prefixes[i], before);
    before = prefixes[i] + suffixes.text(i).size();
    elements.offsets[i + 1] = elements.offsets[i] + before;
  }
  check_page_bytes(elements.offsets.back(), max_bytes);
  elements.bytes.resize(elements.offsets.back());
  for (uint64_t i = 0; i < count; ++i) {
    std::byte* const to = elements.bytes.data() + elements.offsets[i];
    if (prefixes[i] > 0) std::memcpy(to, elements.bytes.data() + elements.offsets[i - 1], prefixes[i]);
    const std::string_view suffix = suffixes.text(i);
    if (!suffix.empty()) std::memcpy(to + prefixes[i], suffix.data(), suffix.size());
  }
  return elements;
}

// Returns texts of one length as flat elements.
Elements of_one_length(Elements texts, uint32_t length) {
  for (uint64_t i = 0; i < texts.count; ++i)
    if (texts.text(i).size() != length)
      throw damaged("value {} has {} bytes, expected {}", i, texts.text(i).size(), length);
  texts.offsets.clear();
  return texts;
}

template <class T>
Elements decode_delta_numbers(ByteSpan encoded, uint64_t count) {
  Cursor in(encoded);
  const std::vector<T> values = decode_delta<T>(in, count, false);
  Elements elements = flat(count, sizeof(T));
  if (!values.empty()) std::memcpy(elements.bytes.data(), values.data(), elements.bytes.size());
  return elements;
}

// Joins a stream for each byte of the values. kWidth: the width if it is known when this is compiled, or 0.
template <uint32_t kWidth>
void join_streams(const std::byte* streams, uint32_t width, uint64_t count, std::byte* out) {
  const uint32_t bytes = kWidth == 0 ? width : kWidth;
  for (uint64_t i = 0; i < count; ++i, out += bytes)
    for (uint32_t byte = 0; byte < bytes; ++byte) out[byte] = streams[byte * count + i];
}

Elements decode_split(ByteSpan encoded, uint32_t width, uint64_t count) {
  if (encoded.size() != checked_size(count, width))
    throw damaged("{} bytes for {} values of {}", encoded.size(), count, width);
  Elements elements = flat(count, width);
  if (width == sizeof(uint32_t))
    join_streams<sizeof(uint32_t)>(encoded.data(), width, count, elements.bytes.data());
  else if (width == sizeof(uint64_t))
    join_streams<sizeof(uint64_t)>(encoded.data(), width, count, elements.bytes.data());
  else
    join_streams<0>(encoded.data(), width, count, elements.bytes.data());
  return elements;
}

Elements decode_run_truths(ByteSpan encoded, uint64_t count) {
  Cursor in(encoded);
  Elements elements = flat(count, 1);
  hybrid_into(in.bytes(in.little<uint32_t>()), 1, elements.mutable_values<uint8_t>());
  return elements;
}

template <class T>
void gather_numbers(const Elements& dictionary, std::span<const uint32_t> indices, Elements& out) {
  const auto from = dictionary.values<T>();
  const auto to = out.mutable_values<T>();
  for (size_t i = 0; i < indices.size(); ++i) to[i] = from[indices[i]];
}

Elements gather_texts(const Elements& dictionary, std::span<const uint32_t> indices, uint64_t max_bytes) {
  Elements out;
  out.count = indices.size();
  out.offsets.resize(indices.size() + 1);
  uint64_t bytes = 0;
  for (size_t i = 0; i < indices.size(); ++i)
    out.offsets[i + 1] = bytes += dictionary.offsets[indices[i] + 1] - dictionary.offsets[indices[i]];
  check_page_bytes(bytes, max_bytes);
  // Most texts are short: the first bytes are copied whatever the length, which both sides have room for.
  constexpr size_t kStep = 16;
  Bytes texts(dictionary.bytes.size() + kStep);
  std::copy(dictionary.bytes.begin(), dictionary.bytes.end(), texts.begin());
  out.bytes.resize(bytes + kStep);
  const uint64_t* const offsets = dictionary.offsets.data();
  std::byte* to = out.bytes.data();
  for (const uint32_t index : indices) {
    const std::byte* const from = texts.data() + offsets[index];
    const uint64_t size = offsets[index + 1] - offsets[index];
    std::memcpy(to, from, kStep);
    if (size > kStep) std::memcpy(to + kStep, from + kStep, size - kStep);
    to += size;
  }
  out.bytes.resize(bytes);
  return out;
}

}  // namespace

unsigned bits_of(uint64_t largest) {
  return static_cast<unsigned>(std::bit_width(largest));
}

void unpack_bits(ByteSpan packed, unsigned width, std::span<uint64_t> out) {
  unpack_into(packed, width, out);
}

void decode_hybrid(ByteSpan encoded, unsigned width, std::span<uint32_t> out) {
  constexpr unsigned kMaxWidth = 32;
  if (width > kMaxWidth) throw damaged("values of {} bits, expected at most {}", width, kMaxWidth);
  hybrid_into(encoded, width, out);
}

void decode_levels(ByteSpan encoded, uint8_t largest, std::span<uint8_t> out) {
  hybrid_into(encoded, bits_of(largest), out);
  check_levels(out, largest);
}

size_t decode_packed_levels(ByteSpan encoded, uint8_t largest, std::span<uint8_t> out) {
  const unsigned width = bits_of(largest);
  const uint64_t bytes = divide_up(uint64_t{out.size()} * width, kBitsInByte);
  if (bytes > encoded.size()) throw damaged("{} bytes for {} levels", encoded.size(), out.size());
  uint64_t bit = 0;
  for (uint8_t& level : out) {
    level = 0;
    for (unsigned i = 0; i < width; ++i, ++bit) {
      const auto byte = static_cast<uint8_t>(encoded[bit / kBitsInByte]);
      level = static_cast<uint8_t>(level << 1 | (byte >> (kBitsInByte - 1 - bit % kBitsInByte) & 1));
    }
  }
  check_levels(out, largest);
  return bytes;
}

template <class T>
std::vector<T> decode_delta(Cursor& in, uint64_t count, bool is_exact) {
  using Bits = std::make_unsigned_t<T>;
  constexpr uint64_t kBlockUnit = 128, kPartUnit = 32, kMaxBlock = uint64_t{1} << 20;
  constexpr unsigned kMaxWidth = 64;
  const uint64_t block = read_leb128(in), parts = read_leb128(in), stated = read_leb128(in);
  const auto first = static_cast<Bits>(zigzag(in));
  if (block == 0 || block % kBlockUnit != 0 || block > kMaxBlock || parts == 0 || block % parts != 0 ||
      block / parts % kPartUnit != 0)
    throw damaged("blocks of {} values in {} parts", block, parts);
  if (stated < count || (is_exact && stated != count))
    throw damaged("{} numbers, expected {}", stated, count);
  const uint64_t in_part = block / parts;
  std::vector<T> values(count);
  if (count == 0) return values;
  values[0] = static_cast<T>(first);
  std::vector<uint64_t> differences(in_part);
  Bits last = first;
  for (uint64_t done = 1; done < count;) {
    const auto least = static_cast<Bits>(zigzag(in));
    const ByteSpan widths = in.bytes(parts);
    for (uint64_t part = 0; part < parts && done < count; ++part) {
      const auto width = static_cast<unsigned>(widths[part]);
      if (width > kMaxWidth) throw damaged("differences of {} bits", width);
      const uint64_t some = std::min(in_part, count - done);
      const uint64_t bytes = in_part * width / kBitsInByte;
      if (divide_up(some * width, kBitsInByte) > in.remaining())
        throw damaged("{} bytes for {} differences of {} bits", in.remaining(), some, width);
      unpack_bits(in.bytes(std::min<uint64_t>(bytes, in.remaining())), width,
                  std::span(differences).first(some));
      for (uint64_t i = 0; i < some; ++i)
        values[done + i] =
            static_cast<T>(last = static_cast<Bits>(last + least + static_cast<Bits>(differences[i])));
      done += some;
    }
  }
  return values;
}
template std::vector<int32_t> decode_delta<int32_t>(Cursor&, uint64_t, bool);
template std::vector<int64_t> decode_delta<int64_t>(Cursor&, uint64_t, bool);

ValueType value_type(Physical physical, uint32_t length) {
  constexpr uint32_t kInt96Bytes = 12;
  switch (physical) {
    case Physical::boolean:
      return {physical, 1};
    case Physical::int32:
    case Physical::real32:
      return {physical, 4};
    case Physical::int64:
    case Physical::real64:
      return {physical, 8};
    case Physical::int96:
      return {physical, kInt96Bytes};
    case Physical::bytes:
      return {physical, 0};
    case Physical::fixed:
      break;
  }
  return {physical, length};
}

void check_page_bytes(uint64_t bytes, uint64_t max_bytes) {
  if (bytes > max_bytes)
    throw unsupported("a page needs {} bytes of memory, the limit is {}; -o cache= raises it", bytes,
                      max_bytes);
}

Elements decode_plain(ByteSpan encoded, ValueType type, uint64_t count, uint64_t max_bytes) {
  if (type.physical == Physical::boolean) return decode_truths(encoded, count);
  if (type.physical == Physical::bytes) return decode_texts(encoded, count, max_bytes);
  if (count > encoded.size() / type.length)
    throw damaged("{} bytes for {} values of {}", encoded.size(), count, type.length);
  Elements elements = flat(count, type.length);
  std::copy_n(encoded.begin(), elements.bytes.size(), elements.bytes.begin());
  return elements;
}

Elements decode_values(ByteSpan encoded, int encoding, ValueType type, uint64_t count, uint64_t max_bytes) {
  check_page_bytes(saturating_multiply(count, std::max<uint64_t>(type.length, sizeof(uint64_t))), max_bytes);
  const auto require = [&](bool is_possible) {
    if (!is_possible)
      throw damaged("encoding {} of values of type {}", encoding, static_cast<int>(type.physical));
  };
  if (encoding < 0 || encoding > UINT8_MAX) throw damaged("encoding {}", encoding);
  switch (static_cast<Encoding>(encoding)) {
    case Encoding::plain:
      return decode_plain(encoded, type, count, max_bytes);
    case Encoding::rle:
      require(type.physical == Physical::boolean);
      return decode_run_truths(encoded, count);
    case Encoding::delta_binary_packed:
      require(type.physical == Physical::int32 || type.physical == Physical::int64);
      return type.length == sizeof(int32_t) ? decode_delta_numbers<int32_t>(encoded, count)
                                            : decode_delta_numbers<int64_t>(encoded, count);
    case Encoding::delta_length_byte_array: {
      require(type.physical == Physical::bytes);
      Cursor in(encoded);
      return decode_delta_lengths(in, count, max_bytes);
    }
    case Encoding::delta_byte_array:
      require(type.physical == Physical::bytes || type.physical == Physical::fixed);
      if (type.physical == Physical::bytes) return decode_delta_texts(encoded, count, max_bytes);
      return of_one_length(decode_delta_texts(encoded, count, max_bytes), type.length);
    case Encoding::byte_stream_split:
      require(type.physical != Physical::boolean && type.physical != Physical::bytes &&
              type.physical != Physical::int96);
      return decode_split(encoded, type.length, count);
    case Encoding::plain_dictionary:
    case Encoding::rle_dictionary:
      throw damaged("indices without a dictionary");
    case Encoding::bit_packed:
      break;
  }
  throw unsupported("encoding {}", encoding);
}

std::vector<uint32_t> decode_indices(ByteSpan encoded, uint64_t count, uint64_t dictionary_size) {
  std::vector<uint32_t> indices(count);
  if (count == 0) return indices;
  Cursor in(encoded);
  const unsigned width = in.byte();
  decode_hybrid(in.rest(), width, indices);
  uint32_t largest = 0;
  for (const uint32_t index : indices) largest = std::max(largest, index);
  if (largest >= dictionary_size)
    throw damaged("index {} of a dictionary of {} values", largest, dictionary_size);
  return indices;
}

Elements gather(const Elements& dictionary, uint32_t element_bytes, std::span<const uint32_t> indices,
                uint64_t max_bytes) {
  if (element_bytes == 0) return gather_texts(dictionary, indices, max_bytes);
  check_page_bytes(saturating_multiply(indices.size(), element_bytes), max_bytes);
  Elements out = flat(indices.size(), element_bytes);
  if (element_bytes == sizeof(uint8_t)) {
    gather_numbers<uint8_t>(dictionary, indices, out);
  } else if (element_bytes == sizeof(uint32_t)) {
    gather_numbers<uint32_t>(dictionary, indices, out);
  } else if (element_bytes == sizeof(uint64_t)) {
    gather_numbers<uint64_t>(dictionary, indices, out);
  } else {
    for (size_t i = 0; i < indices.size(); ++i)
      std::memcpy(out.bytes.data() + i * element_bytes,
                  dictionary.bytes.data() + size_t{indices[i]} * element_bytes, element_bytes);
  }
  return out;
}

}  // namespace plainfs::parquet
