// Nodes of a store in memory, and the content of an array as text: for tests of schemas that break one part
// of a store at a time.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/arrays/counted_times.h"
#include "formats/core/model/node.h"
#include "tests/support/memory_store.h"

namespace plainfs {

template <class T>
Node array_node(const std::vector<T>& values, Shape shape = {}, Attributes attributes = {}) {
  const Kind kind = std::is_floating_point_v<T> ? Kind::real : Kind::integer;
  const DType dtype = number_type(kind, sizeof(T));
  Elements elements = zero_elements(dtype, values.size());
  std::copy(values.begin(), values.end(), elements.mutable_values<T>().begin());
  if (shape.empty()) shape = {values.size()};
  return Node{LabelledArray{
      std::make_shared<MemoryArray>(dtype, std::move(shape), std::move(elements), std::move(attributes)),
      nullptr, nullptr}};
}

inline Json texts(const std::vector<std::string>& values) {
  Json::List list;
  for (const std::string& value : values) list.emplace_back(value);
  return list;
}
inline Json counts(const std::vector<uint64_t>& values) {
  Json::List list;
  for (const uint64_t value : values) list.push_back(Json::of(value));
  return list;
}

// Returns every element as text, missing ones as "NA".
inline std::vector<std::string> shown(const Array& array) {
  const Elements elements = read_all(array);
  std::vector<std::string> values;
  for (uint64_t i = 0; i < elements.count; ++i) {
    if (elements.is_missing(i))
      values.emplace_back("NA");
    else if (layout_of(array.dtype()) == Layout::heap)
      values.emplace_back(elements.text(i));
    else if (array.dtype().kind == Kind::counted_time)
      append_counted_time(array.dtype(), counted_number(array.dtype(), elements, i), values.emplace_back());
    else if (array.dtype().kind == Kind::fixed_text)
      values.emplace_back(trim_padding(
          as_text(elements.bytes).substr(i * array.dtype().size, array.dtype().size), array.dtype().padding));
    else
      values.push_back(visit_number(array.dtype(), [&](auto number) {
        using T = decltype(number);
        if constexpr (std::is_same_v<T, Half>)
          return std::string("half");
        else
          return std::to_string(elements.values<T>()[i]);
      }));
  }
  return values;
}

using Texts = std::vector<std::string>;

}  // namespace plainfs
