// The form of an awkward array: a tree of layouts, each with the key of its buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/elements/dtype.h"

namespace plainfs::anndata {

enum class FormClass {
  empty,
  numpy,        // buffer data
  regular,      // lists of `size`
  list_offset,  // buffer offsets
  list,         // buffers starts, stops
  record,       // `fields`, or a tuple
  indexed,      // buffer index
  option,       // buffer index, negative = missing
  byte_masked,  // buffer mask
  bit_masked,   // buffer mask, one bit for each element
  unmasked,
  union_of,  // buffers tags, index
};

enum class TextKind { none, text, bytes };  // lists that are single values

struct Form {
  FormClass form_class = FormClass::empty;
  std::string key;  // of its buffers: KEY-offsets
  std::vector<Form> contents;
  std::vector<std::string> fields;  // of a record, one for each content
  bool is_tuple = false;
  uint64_t size = 0;  // regular: length of a list; numpy: items in one element
  std::vector<uint64_t> inner_shape;
  std::optional<DType> primitive;  // of numpy
  TextKind text = TextKind::none;  // of a list
  bool valid_when = true;
  bool lowest_bit_first = true;
};

// Parses a form. Throws damaged if json is no form, unsupported if it has an unknown class or primitive.
Form parse_form(std::string_view json);

}  // namespace plainfs::anndata
