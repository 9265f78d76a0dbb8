// The form of an awkward array: a tree of layouts, each with the key of its buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/dtype.h"

namespace plainfs::anndata {

enum class FormClass {
  empty,
  numpy,        // buffer data
  regular,      // lists of `size`
  list_offset,  // buffer offsets
  list,         // buffers starts, stops
  record,       // `fields`, or a tuple
  indexed,      // buffer index
  option,       // the same, negative = missing
  byte_masked,  // buffer mask
  bit_masked,   // the same, a bit an element
  unmasked,
  union_of,  // buffers tags, index
};

enum class TextKind { none, text, bytes };  // lists that are one value each

struct Form {
  FormClass form_class = FormClass::empty;
  std::string key;  // of its buffers: KEY-offsets
  std::vector<Form> contents;
  std::vector<std::string> fields;  // of a record, one a content
  bool is_tuple = false;
  uint64_t size = 0;  // regular: of a list; numpy: items of one element
  std::vector<uint64_t> inner_shape;
  std::optional<DType> primitive;  // of numpy
  TextKind text = TextKind::none;  // of a list
  bool valid_when = true;
  bool lowest_bit_first = true;
};

// Throws damaged where json is no form, unsupported where a class or primitive in it is not known.
Form parse_form(std::string_view json);

}  // namespace plainfs::anndata
