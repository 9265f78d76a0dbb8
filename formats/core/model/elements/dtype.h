// The type of one element of an array. A DType describes both the stored form (size, byte order, record
// offsets) and the meaning. Decoded Elements are always native and packed (elements.h). The list of kinds
// drives everything: text, NPY, JSON and fill values each switch over it once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/base/error.h"
#include "formats/core/base/half.h"

namespace plainfs {

enum class Kind : uint8_t {
  boolean,           // 1 byte; 0 FALSE, anything else TRUE
  integer,           // two's complement of 1, 2, 4 or 8 bytes
  unsigned_integer,  // 1, 2, 4 or 8 bytes
  real,              // IEEE 754 of 2, 4 or 8 bytes
  complex,           // two reals of size / 2 bytes each
  logical,           // an integer (DType::base) shown as FALSE or TRUE; NPY keeps the integer
  enumeration,       // an integer (DType::base) with named values (DType::members)
  time_point,        // int64 count of DType::time_unit since 1970; INT64_MIN is not-a-time
  time_span,         // int64 count of DType::time_unit; INT64_MIN is not-a-time
  counted_time,  // a number (DType::base) of days or seconds since 1970 (DType::time_unit); counted_times.h
  fixed_text,    // size bytes of text, padded as in DType::padding; text views reject invalid UTF-8 as damage
  fixed_utf32,   // size / 4 code units, NUL-padded
  opaque,        // size bytes without meaning; hex
  compound,      // DType::fields; stored packed or with padding, Elements hold one child per field
  array,         // DType::dims of DType::item, inside one element
  text,          // variable-length text; text views reject invalid UTF-8 as damage
  blob,          // variable-length bytes without meaning; hex
  sequence,      // a variable number of DType::item
  json,          // any value, kept as canonical JSON text (json.h)
  reference,     // kept as the path of its target; missing for a null reference
};

enum class TimeUnit : uint8_t {
  generic,
  year,
  month,
  week,
  day,
  hour,
  minute,
  second,
  milli,
  micro,
  nano,
  pico,
  femto,
  atto
};
enum class Padding : uint8_t { null_terminated, null_padded, space_padded };

struct DType;

// Attributes that are texts, in the object's order.
using TextAttributes = std::vector<std::pair<std::string, std::vector<std::string>>>;

struct EnumMember {
  std::string name;
  int64_t value;  // the bits of a uint64_t if base is unsigned_integer
};

struct Field;

struct DType {
  Kind kind = Kind::integer;
  uint32_t size = 0;                       // bytes of one stored element; 0 = variable length
  bool big_endian = false;                 // as stored; Elements are native
  Kind base = Kind::integer;               // of logical, enumeration and counted_time: a kind of number
  Padding padding = Padding::null_padded;  // fixed_text
  TimeUnit time_unit = TimeUnit::generic;  // time_point, time_span; counted_time: day or second
  uint32_t time_count = 1;                 // "10us": 10
  bool is_utc = false;                     // time_point: an instant, shown with a Z; otherwise without a zone
  std::vector<EnumMember> members;         // enumeration
  std::vector<Field> fields;               // compound
  std::vector<uint64_t> dims;              // array
  std::shared_ptr<const DType> item;       // array, sequence
  // The class of R vectors of this type and its attributes (units, tzone), for writers of such vectors. Null
  // for numbers without a class and for other stores.
  std::shared_ptr<const TextAttributes> r_class;

  bool is_integer() const { return kind == Kind::integer || kind == Kind::unsigned_integer; }
  bool is_integer_or_real() const { return is_integer() || kind == Kind::real; }
  bool is_truth() const { return kind == Kind::boolean || kind == Kind::logical; }
  // Returns whether this is an integer, real or boolean type, which matrices can have.
  bool is_numeric() const { return is_integer_or_real() || is_truth(); }
  // Returns whether this is byte-encoded text, of fixed or variable length.
  bool is_text() const { return kind == Kind::text || kind == Kind::fixed_text; }
  // Returns whether every element takes the same number of bytes, so that an .npy is possible (except for
  // references).
  bool fixed_size() const;
  // Returns the bytes of one element in packed native form, as in an .npy. Requires: fixed_size().
  uint64_t packed_size() const;
  // Returns the items in one element of kind array: the product of dims.
  uint64_t items() const;
  // Returns a name for messages, for example "int32" or "compound of 3".
  std::string name() const;
};

struct Field {
  std::string name;
  DType type;
  uint64_t offset = 0;  // in the stored record
};

DType number_type(Kind kind, uint32_t size, bool big_endian = false);
DType text_type();  // of variable length
DType compound_type(std::vector<Field> fields, uint32_t size);
// Returns a compound of fields without padding. Sets their offsets and the size of the record.
DType packed_compound_type(std::vector<Field> fields);
DType array_type(DType item, std::vector<uint64_t> dims);
DType sequence_type(DType item);

bool operator==(const DType& a, const DType& b);

// The members of Elements (elements.h) that hold the elements of a type.
enum class Layout {
  flat,      // bytes, type.size each
  heap,      // bytes and offsets
  sequence,  // offsets and children[0]
  array,     // children[0]
  compound,  // one child per field
};
Layout layout_of(const DType& type);

// Returns whether a record of these fields is a complex number: two reals of one size called r, i (h5py) or
// Real, Imaginary (fs/VIEWS.md, section 2).
bool is_complex_pair(const std::vector<Field>& fields);

// Calls visit(T{}) with the C++ type of one native element of a number: int8_t … uint64_t, Half, float,
// double. For boolean, logical, enumeration and counted_time it is the number that stores them (boolean:
// uint8_t), for time_point and time_span int64_t. This is the only switch over numeric types. Returns what
// visit returns. Throws Error(unsupported) if type is not such a number (complex included: its two parts are
// reals).
template <class Visit>
decltype(auto) visit_number(const DType& type, Visit&& visit) {
  Kind kind = type.kind;
  if (kind == Kind::logical || kind == Kind::enumeration || kind == Kind::counted_time) kind = type.base;
  if (kind == Kind::boolean) return std::forward<Visit>(visit)(uint8_t{});
  if (kind == Kind::time_point || kind == Kind::time_span) return std::forward<Visit>(visit)(int64_t{});
  if (kind == Kind::integer) {
    switch (type.size) {
      case 1:
        return std::forward<Visit>(visit)(int8_t{});
      case 2:
        return std::forward<Visit>(visit)(int16_t{});
      case 4:
        return std::forward<Visit>(visit)(int32_t{});
      case 8:
        return std::forward<Visit>(visit)(int64_t{});
    }
  } else if (kind == Kind::unsigned_integer) {
    switch (type.size) {
      case 1:
        return std::forward<Visit>(visit)(uint8_t{});
      case 2:
        return std::forward<Visit>(visit)(uint16_t{});
      case 4:
        return std::forward<Visit>(visit)(uint32_t{});
      case 8:
        return std::forward<Visit>(visit)(uint64_t{});
    }
  } else if (kind == Kind::real) {
    switch (type.size) {
      case 2:
        return std::forward<Visit>(visit)(Half{});
      case 4:
        return std::forward<Visit>(visit)(float{});
      case 8:
        return std::forward<Visit>(visit)(double{});
    }
  }
  throw unsupported("{} is not a number type", type.name());
}

}  // namespace plainfs
