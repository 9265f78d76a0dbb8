// Decoded elements: values of one DType in native byte order, without padding, in the layout of Arrow. The
// location of an element's bytes depends on its kind:
//   numbers, fixed_text, fixed_utf32, opaque   bytes: count * size
//   text, blob, json, reference                bytes: the heap; element i from offsets[i] to offsets[i + 1]
//   sequence                                   offsets into children[0], which holds all items
//   array                                      children[0] with count * product(dims) items
//   compound                                   children[f] with count values of field f
// Fixed text keeps its stored bytes (padding included), so that an .npy can show them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/model/elements/dtype.h"

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
  // Returns element i of a variable-length kind. Requires: i < count.
  std::string_view text(uint64_t i) const {
    return as_text(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
  // Returns the bytes that this counts for in the cache.
  size_t allocated_bytes() const;
  bool operator==(const Elements&) const = default;
};

// Returns `count` values of `type`: all bytes zero, all variable-length ones empty.
Elements zero_elements(const DType& type, uint64_t count);

// Returns `count` copies of the only element of `one`.
Elements repeated_element(const DType& type, const Elements& one, uint64_t count);

// Converts `count` stored elements of a fixed-size type (with the byte order, record padding and offsets of
// `type`) into native Elements. Throws damaged unless stored.size() == count * type.size. The overload that
// takes Bytes reuses them if a number needs no more than a byte swap.
Elements unpack(const DType& type, ByteSpan stored, uint64_t count);
Elements unpack(const DType& type, Bytes&& stored, uint64_t count);

// Writes elements [first, first + count) in packed little-endian form, as in an .npy, to `out`: packed_size()
// bytes each. Requires: type.fixed_size().
void pack(const DType& type, const Elements& elements, uint64_t first, uint64_t count, std::byte* out);

// Appends `count` elements of `source`, starting at `first`, to `target`. Both have `type`. An empty target
// may be Elements{}.
void append(const DType& type, Elements& target, const Elements& source, uint64_t first, uint64_t count);

// Throws damaged if the sizes in `elements` are inconsistent or not those of `count` elements.
void check_layout(const DType& type, const Elements& elements, uint64_t count);

// Returns the text of one fixed_text element: its stored bytes without padding, not yet checked for UTF-8.
std::string_view trim_padding(std::string_view stored, Padding padding);

// A builder of text Elements (also json, reference, blob), one value at a time.
class TextBuilder {
 public:
  explicit TextBuilder(uint64_t expected_count = 0);
  void add(std::string_view text);
  void add_missing();  // adds a missing element (NA)
  Elements finish();

 private:
  Elements elements_;
};

}  // namespace plainfs
