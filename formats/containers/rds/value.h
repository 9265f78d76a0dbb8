// An R value as far as plainfs looks at it. A tree: R's shared environments and symbols are not followed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/elements.h"

namespace plainfs::rds {

enum class RType : uint8_t {
  null,
  logical,  // elements: int32, 0 FALSE, INT32_MIN missing
  integer,  // elements: int32
  real,     // elements: double
  text,     // elements: Kind::text, NA missing
  list,     // items
  pairs,    // items with their tags; the last item of a dotted pair has an empty one
  symbol,   // name
  s4,       // its slots are attributes
  other,    // read over: environments, functions, raw and complex vectors
};

struct NamedRValue;

struct RValue {
  RType type = RType::null;
  Elements elements;
  std::vector<RValue> items;
  std::vector<std::string> tags;
  std::string name;
  std::vector<NamedRValue> attributes;

  // The attribute, or the slot of an S4 object; null where there is none.
  const RValue* attribute(std::string_view wanted) const;
  RValue* attribute(std::string_view wanted);
  // The only string of a text vector of length 1, else nothing.
  std::string_view single_text() const {
    return type == RType::text && elements.count == 1 ? elements.text(0) : std::string_view();
  }
};

struct NamedRValue {
  std::string name;
  RValue value;
};

inline RValue* RValue::attribute(std::string_view wanted) {
  for (NamedRValue& attribute : attributes) {
    if (attribute.name == wanted) return &attribute.value;
  }
  return nullptr;
}

inline const RValue* RValue::attribute(std::string_view wanted) const {
  return const_cast<RValue*>(this)->attribute(wanted);
}

}  // namespace plainfs::rds
