// R's serialisation (XDR, version 3) as saveRDS(x, compress = FALSE) writes it, laid out piece by piece: what
// is short is written at once, data are segments that are made on read.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/array.h"
#include "fs/native/byte_layout.h"
#include "fs/native/element_form.h"

namespace plainfs {

// What R calls a vector's kind.
enum class RVector : uint32_t { logical = 10, integer = 13, real = 14, complex = 15, text = 16, list = 19 };

class RdsWriter {
 public:
  explicit RdsWriter(Context& context);

  // An item's first word: its type, whether it is an object (has a class), has attributes.
  void item(uint32_t type, bool is_object, bool has_attributes);
  // The same with its length.
  void vector(RVector type, uint64_t length, bool is_object = false, bool has_attributes = false);
  void integer(int32_t value);
  // An element of a vector of reals; a NaN is R's NA.
  void real(double value);
  // A vector of strings.
  void texts(const std::vector<std::string>& values, bool has_attributes = false);
  // A vector of all elements of values as text, in C order; measures them.
  void texts(const ArrayPtr& values, bool is_object = false, bool has_attributes = false);
  // A vector of all elements of values, in C order: of which kind r_vector_of() says, with its class where R
  // has one for the type (DType::r_class). has_more: other attributes are to follow, and end_attributes().
  void numbers(const ArrayPtr& values, bool has_more);
  void data(SegmentPtr segment) { layout_.put(std::move(segment)); }

  void null() { integer(0xfe); }
  // The name of an attribute; its value is to follow.
  void attribute(std::string_view name);
  void end_attributes() { null(); }
  void class_attribute(std::initializer_list<std::string_view> names);
  // An object of S4, its slots to follow as attributes, and the class that ends them.
  void s4_object() { integer(0x00010319); }
  void s4_class(const std::string& name, const std::string& package);
  // A symbol by itself: what S4 has in place of NULL in a slot is one.
  void symbol(std::string_view name);

  ByteLayout finish() { return std::move(layout_); }

 private:
  void text(std::string_view value);
  void big_endian(uint32_t value);

  Context& context_;
  ByteLayout layout_;
  std::vector<std::string> symbols_;  // in the order of their first appearance
};

// How R holds the elements of a type, text where there is no number for them.
RVector r_vector_of(const DType& type);

}  // namespace plainfs
