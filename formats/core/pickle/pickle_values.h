// The content of a pickle, as data. Texts and bytes are views of the pickle or of copies in the heap. Lists,
// arrays and types live in the heap, where they may be shared and may even contain themselves.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "formats/core/base/bytes.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/elements/dtype.h"

namespace plainfs {

enum class PickleKind : uint8_t {
  none,
  boolean,   // integer: 0 or 1
  integer,   // integer
  number,    // text: the decimal digits of an integer beyond 64 bits
  real,      // real
  text,      // text: UTF-8, not checked
  bytes,     // text
  list,      // index into lists
  tuple,     // index into lists
  dict,      // index into lists: key, value, key, value …
  array,     // index into arrays
  dtype,     // index into types
  function,  // function
};

// The only globals that a pickle may name. None is ever called.
enum class PickleFunction : uint8_t {
  reconstruct,  // numpy.core.multiarray _reconstruct
  scalar,       // numpy.core.multiarray scalar
  from_buffer,  // numpy.core.numeric _frombuffer
  ndarray,      // numpy ndarray
  dtype,        // numpy dtype
  encode,       // _codecs encode
  bytes,        // __builtin__ bytes, which protocols 0 to 2 write for empty bytes
  reference,    // hdmf_zarr.utils ZarrReference, a dict
};

struct PickleValue {
  PickleKind kind = PickleKind::none;
  PickleFunction function{};
  union {
    int64_t integer = 0;
    double real;
    uint64_t index;
    const char* data;
  };
  uint64_t size = 0;  // of data

  std::string_view text() const { return {data, size}; }
  ByteSpan bytes() const { return as_byte_span(text()); }

  static PickleValue of(PickleKind kind) {
    PickleValue value;
    value.kind = kind;
    return value;
  }
  static PickleValue of_text(PickleKind kind, std::string_view text) {
    PickleValue value = of(kind);
    value.data = text.data();
    value.size = text.size();
    return value;
  }
  static PickleValue of_integer(PickleKind kind, int64_t integer) {
    PickleValue value = of(kind);
    value.integer = integer;
    return value;
  }
  static PickleValue of_index(PickleKind kind, uint64_t index) {
    PickleValue value = of(kind);
    value.index = index;
    return value;
  }
};

struct PickleType {
  DType type;
  bool has_objects = false;  // is a Python object, or has fields that are (Kind::json)
};

// A numpy array or scalar (rank 0). Before BUILD its type is null and it has no data.
struct PickleArray {
  std::shared_ptr<const PickleType> type;
  Shape shape;
  bool fortran = false;  // the bytes are in Fortran order; never true for a list
  PickleValue data;      // bytes, or a list if type has_objects: product(shape) of either, checked
};

struct PickleHeap {
  explicit PickleHeap(uint64_t pickle_bytes)
      : bytes_left(pickle_bytes * 4 + 4096), fields_left(pickle_bytes + 4096) {}

  std::vector<std::vector<PickleValue>> lists;
  std::vector<PickleArray> arrays;
  std::vector<std::shared_ptr<const PickleType>> types;
  std::deque<std::string> texts;
  // The remaining budget for calls on shared arguments: bytes of text, fields of types.
  uint64_t bytes_left;
  uint64_t fields_left;

  const std::vector<PickleValue>& items(const PickleValue& value) const { return lists[value.index]; }
};

}  // namespace plainfs
