// Types and values in h5grove's JSON: HDF5's classes by number, integers in full, and null for numbers that
// are not finite.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/model/arrays/array.h"
#include "formats/core/text/json.h"

namespace plainfs::serve {

// The number of NA in the type of truth values, as in hdf5r's. R stores another.
inline constexpr uint8_t kH5NotAvailable = 2;

// Returns the type: {"class": 0, "size": 4, "order": 0, "sign": 1}. Types that HDF5 does not have are text.
Json h5_type(const DType& type);

// Appends an element. A record is the list of its fields, an enumeration its number, a complex number its two
// parts, a reference the path of its target. A missing text is "NA", any other missing value null. A
// character of one byte that is not UTF-8 is U+FFFD. Throws damaged for other text that is not UTF-8.
// Requires: i < elements.count.
void append_h5_value(const DType& type, const Elements& elements, uint64_t i, std::string& out);

// An attribute: {"name", "shape", "type"}. Attributes have only the types of JSON. A value that is neither a
// scalar nor a uniform list is given as text, its JSON.
struct H5Attribute {
  Json shape;  // null: no value
  Json type;
  Json value;
};
H5Attribute h5_attribute(const Json& value);

}  // namespace plainfs::serve
