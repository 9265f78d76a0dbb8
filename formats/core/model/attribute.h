// Attributes of a group or an array, ready to show: a name and a JSON value each, in the store's order. A
// reference has the path of its target as its value. A scalar is a plain value, one of rank >= 1 a list.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/base/error.h"
#include "formats/core/model/dtype.h"
#include "formats/core/text/json.h"

namespace plainfs {

struct Attribute {
  std::string name;
  Json value;
  std::optional<Error> error{};  // why there is no value
  // The type of the elements as stored. Null for text, and if the format gives attributes no types (Zarr's
  // JSON).
  std::shared_ptr<const DType> type{};
};
using Attributes = std::vector<Attribute>;

// Returns the value of the attribute `name`, or null. If the attribute has an error instead, throws it.
const Json* find_attribute(const Attributes& attributes, std::string_view name);

// Returns the texts of an attribute that is a text or a list of texts. Other values in a list are omitted.
// Returns an empty list if there is no such attribute. Throws what find_attribute throws.
std::vector<std::string> texts_of(const Attributes& attributes, std::string_view name);

// Returns the text of an attribute that is a text or a list of one text. Throws what find_attribute throws.
std::optional<std::string> text_of(const Attributes& attributes, std::string_view name);

// Returns the number of an attribute that is a number or a list of one number. A 32-bit real is the exact
// stored number, not the decimal digits that represent it. Throws what find_attribute throws.
std::optional<double> number_of(const Attributes& attributes, std::string_view name);

}  // namespace plainfs
