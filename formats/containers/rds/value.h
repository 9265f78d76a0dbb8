// An R value as a tree. An environment that several values refer to is one shared branch. Symbols are not
// resolved. Of values without data (functions, calls, pointers) only the presence is known.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/model/arrays/array.h"

namespace plainfs::rds {

enum class RType : uint8_t {
  null,
  logical,  // int32, 0 FALSE, INT32_MIN missing
  integer,  // int32, INT32_MIN missing
  real,     // double, with one NaN for NA
  complex,  // two doubles
  raw,      // uint8
  text,     // UTF-8, with invalid bytes as \xhh; missing ones marked
  list,     // items; also pairlists with their tags as the names, and environments, sorted by name
  symbol,   // name
  s4,       // its slots are attributes
  other,    // no data; name: its kind
};

struct Value;
using ValuePtr = std::shared_ptr<const Value>;

struct NamedValue {
  std::string name;
  ValuePtr value;
};

struct Value {
  RType type = RType::null;
  // The elements of a vector as they are stored, in one dimension. Small vectors are in memory, others are
  // read on demand.
  ArrayPtr vector;
  std::vector<ValuePtr> items;
  std::string name;
  std::vector<NamedValue> attributes;

  // Returns the attribute, or the slot of an S4 object, null if absent. A slot that is NULL counts as absent.
  ValuePtr attribute(std::string_view wanted) const;
  bool is_vector() const { return vector != nullptr; }
  // Returns the number of elements of a vector, or of items of a list.
  uint64_t length() const { return vector ? vector->count() : items.size(); }

  // Returns the elements of a vector of text, "NA" for missing ones. Empty for any other value. Throws errors
  // of reading, and unsupported for over 2^20 elements.
  std::vector<std::string> texts() const;
  // Returns the attribute class.
  std::vector<std::string> classes() const;
  bool is_a(std::string_view class_name) const;
  // Returns the element of a vector of one text.
  std::optional<std::string> single_text() const;
  // Returns all elements of a vector of integers, logicals or whole doubles. Throws like texts().
  std::optional<std::vector<int64_t>> whole_numbers() const;
  // Returns the names of all items of a list, "" for items without one. Returns nullopt if the number of
  // stored names differs from the number of items.
  std::optional<std::vector<std::string>> item_names() const;
  // Returns the first item of that name, null if absent.
  ValuePtr item(std::string_view wanted) const;
};

}  // namespace plainfs::rds
