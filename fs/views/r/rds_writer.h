// R's serialization (XDR, version 3) as saveRDS(x, compress = FALSE) writes it, laid out piece by piece.
// Short parts are written at once; data are segments that are generated on read.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "fs/layout/byte_layout.h"
#include "fs/layout/element_form.h"

namespace plainfs {

// R's code for the type of a vector.
enum class RVector : uint32_t {
  logical = 10,
  integer = 13,
  real = 14,
  complex = 15,
  text = 16,
  list = 19,
  raw = 24
};

class RdsWriter {
 public:
  explicit RdsWriter(Context& context);

  // Writes the first word of an item: its type, whether it is an object (has a class), and whether it has
  // attributes.
  void item(uint32_t type, bool is_object, bool has_attributes);
  // Writes the first word and the length of a vector.
  void vector(RVector type, uint64_t length, bool is_object = false, bool has_attributes = false);
  void integer(int32_t value);
  // Writes an element of a vector of reals; a NaN is R's NA.
  void real(double value);
  // Writes a vector of strings.
  void texts(const std::vector<std::string>& values, bool has_attributes = false);
  void logical(bool value) { integer(value); }
  // Writes a vector of all elements of `values` as text, in C order; measures them.
  void texts(const ArrayPtr& values, bool is_object = false, bool has_attributes = false);
  // Writes a vector of all elements of `values`, in C order, of the kind r_vector_of() returns, with R's
  // class for the type, if any (DType::r_class). has_more: other attributes and end_attributes() follow.
  void numbers(const ArrayPtr& values, bool has_more);
  // Writes a vector of all elements of `values` without a class. is_object: it gets one among its attributes.
  // as_bits: integers of 64 bits are the bits of doubles.
  void elements(const ArrayPtr& values, bool is_object, bool has_attributes, bool as_bits = false);
  void data(SegmentPtr segment) { layout_.put(std::move(segment)); }

  void null() { integer(0xfe); }
  // Writes the name of an attribute; its value must follow.
  void attribute(std::string_view name);
  void end_attributes() { null(); }
  void class_attribute(std::initializer_list<std::string_view> names);
  // Begins an S4 object. Its slots follow as attributes, then the class that ends them.
  void s4_object() { integer(0x00010319); }
  void s4_class(const std::string& name, const std::string& package);
  // Writes a symbol by itself. S4 uses one in place of NULL in a slot.
  void symbol(std::string_view name);

  ByteLayout finish() { return std::move(layout_); }

 private:
  void text(std::string_view value);
  void big_endian(uint32_t value);

  Context& context_;
  ByteLayout layout_;
  std::vector<std::string> symbols_;  // in the order of their first appearance
};

// Returns R's vector type for the elements of a type; text if R has no number for them.
RVector r_vector_of(const DType& type);

}  // namespace plainfs
