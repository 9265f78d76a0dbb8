// Attributes of a group or an array, ready to show: a name and a JSON value each, in the store's order.
// References are the path of their target; a scalar is bare, one of rank >= 1 a list.
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
  // Of the elements as stored; null if the format gives attributes no types (Zarr's JSON), and for text.
  std::shared_ptr<const DType> type{};
};
using Attributes = std::vector<Attribute>;

// The value of the attribute called name, or null. Throws the error that it has instead.
const Json* find_attribute(const Attributes& attributes, std::string_view name);

// The texts of an attribute that is one text or a list of them, what else is in a list left out; empty where
// there is none. Throws as find_attribute does.
std::vector<std::string> texts_of(const Attributes& attributes, std::string_view name);

// The text of an attribute that is one text or a list of one. Throws as find_attribute does.
std::optional<std::string> text_of(const Attributes& attributes, std::string_view name);

}  // namespace plainfs
