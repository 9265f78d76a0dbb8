// Decoded elements: a run of values of one DType, native byte order, without padding, laid out as Arrow
// does it. Where the bytes of an element live depends on its kind:
//   numbers, fixed_text, fixed_utf32, opaque   bytes: count * size
//   text, blob, json, reference                bytes: the heap; element i from offsets[i] to offsets[i + 1]
//   sequence                                   offsets into children[0], which holds all items
//   array                                      children[0] with count * product(dims) items
//   compound                                   children[f] with count values of field f
// Fixed text keeps its stored bytes (padding included), so an .npy can show them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/model/dtype.h"

namespace plainfs {

struct Elements {
  uint64_t count = 0;
  Bytes bytes;
  std::vector<uint64_t> offsets;  // variable length: count + 1, the first 0
  std::vector<uint8_t> missing;   // 1 = NA; empty = none
  std::vector<Elements> children;

  template <class T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> mutable_values() {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  bool is_missing(uint64_t i) const { return !missing.empty() && missing[i]; }
  // Element i of a variable-length kind. Requires: i < count.
  std::string_view text(uint64_t i) const {
    return as_text(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
  // What this costs the cache.
  size_t allocated_bytes() const;
  bool operator==(const Elements&) const = default;
};

// Where the elements of a type live.
enum class Layout {
  flat,      // bytes, type.size each
  heap,      // bytes and offsets
  sequence,  // offsets and children[0]
  array,     // children[0]
  compound,  // one child a field
};
Layout layout_of(const DType& type);

// count values of type, all bytes zero, all variable-length ones empty.
Elements zero_elements(const DType& type, uint64_t count);

// count copies of the only element of one.
Elements repeated_element(const DType& type, const Elements& one, uint64_t count);

// Takes count stored elements of a fixed-size type (byte order, record padding and offsets as type says)
// apart into native Elements. Requires: stored.size() == count * type.size, checked: Error(damaged).
// The overload that takes Bytes reuses them where a number needs no more than a byte swap.
Elements unpack(const DType& type, ByteSpan stored, uint64_t count);
Elements unpack(const DType& type, Bytes&& stored, uint64_t count);

// Appends elements [first, first + count) in packed little-endian form, as an .npy holds them.
// Requires: type.fixed_size().
void pack(const DType& type, const Elements& elements, uint64_t first, uint64_t count, Bytes& out);

// Appends count elements of source, from first on, to target; both of the same type. An empty target may be
// Elements{}.
void append(const DType& type, Elements& target, const Elements& source, uint64_t first, uint64_t count);

// Throws damaged where the sizes in elements do not fit together or are not those of count elements.
void check_layout(const DType& type, const Elements& elements, uint64_t count);

// Text of the stored bytes of one fixed_text element: padding removed as padding says, not yet checked for
// UTF-8.
std::string_view trim_padding(std::string_view stored, Padding padding);

// Builds text Elements (also json, reference, blob) one value at a time.
class TextBuilder {
 public:
  explicit TextBuilder(uint64_t expected_count = 0);
  void add(std::string_view text);
  void add_missing();  // an empty value that is NA
  Elements finish();

 private:
  Elements elements_;
};

}  // namespace plainfs
