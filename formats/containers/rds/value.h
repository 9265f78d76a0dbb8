// An R value as plainfs sees it: a tree, of which an environment that several values refer to is one branch.
// Symbols are not followed. What is no data (functions, calls, pointers) is known to be there and nothing
// more.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/model/array.h"

namespace plainfs::rds {

enum class RType : uint8_t {
  null,
  logical,  // int32, 0 FALSE, INT32_MIN missing
  integer,  // int32, INT32_MIN missing
  real,     // double, of which one NaN is NA
  complex,  // two doubles
  raw,      // uint8
  text,     // UTF-8 in which each byte that is none is \xhh; missing ones marked
  list,     // items; pairlists too, whose tags are the attribute names, and environments, by name
  symbol,   // name
  s4,       // its slots are attributes
  other,    // no data; name: of what kind it is
};

struct Value;
using ValuePtr = std::shared_ptr<const Value>;

struct NamedValue {
  std::string name;
  ValuePtr value;
};

struct Value {
  RType type = RType::null;
  // Of a vector: its elements as they are stored, in one dimension. Small ones are held, others read when
  // they are asked for.
  ArrayPtr vector;
  std::vector<ValuePtr> items;
  std::string name;
  std::vector<NamedValue> attributes;

  // The attribute, or the slot of an S4 object; null where there is none. A slot that is NULL is one that is
  // not there.
  ValuePtr attribute(std::string_view wanted) const;
  bool is_vector() const { return vector != nullptr; }
  // Elements of a vector, items of a list.
  uint64_t length() const { return vector ? vector->count() : items.size(); }

  // The elements of a vector of text, "NA" for missing ones; empty of anything else. Throws what reading
  // throws, and unsupported where there are over 2^20.
  std::vector<std::string> texts() const;
  // The attribute class.
  std::vector<std::string> classes() const;
  bool is_a(std::string_view class_name) const;
  // The only element of a vector of one text.
  std::optional<std::string> single_text() const;
  // All of a vector of integers, logicals, or doubles that are whole; as texts().
  std::optional<std::vector<int64_t>> whole_numbers() const;
  // The names of the items of a list, "" where they have none; as many as items, nullopt where the stored
  // ones are more or fewer.
  std::optional<std::vector<std::string>> item_names() const;
  // The first item of that name; null where there is none.
  ValuePtr item(std::string_view wanted) const;
};

}  // namespace plainfs::rds
