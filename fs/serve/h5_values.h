// Types and values as h5grove tells them in JSON: HDF5's classes by their numbers, whole numbers in full, and
// null for what is no finite number.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/model/array.h"
#include "formats/core/text/json.h"

namespace plainfs::serve {

// {"class": 0, "size": 4, "order": 0, "sign": 1}. What HDF5 has no word for is text.
Json h5_type(const DType& type);

// Appends an element: a record is the list of its fields, an enumeration its number, a complex number its two
// parts, a reference the path of what it points to. Throws damaged for text that is not UTF-8.
// Requires: i < elements.count.
void append_h5_value(const DType& type, const Elements& elements, uint64_t i, std::string& out);

// An attribute: {"name", "shape", "type"}. What is neither one value nor a list of values that are alike is
// text, its JSON; attributes keep no type but that of their JSON.
struct H5Attribute {
  Json shape;  // null: it has no value
  Json type;
  Json value;
};
H5Attribute h5_attribute(const Json& value);

}  // namespace plainfs::serve
