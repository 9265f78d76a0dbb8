// 10x files in memory, so that tests can break one thing at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/core/model/elements/element_text.h"
#include "formats/schemas/tenx/schema.h"
#include "tests/support/memory_store.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs::tenx {

template <class T>
Node number_node(const std::vector<T>& values) {
  return Node{LabelledArray{numbers(values), nullptr, nullptr, {}, {}}};
}

inline Node broken_node(const std::string& message) {
  return Node{damaged("{}", message)};
}

// Adds three features, two barcodes, counts (f1,c1)=5, (f3,c2)=7. without: an omitted member.
inline void add_counts(MemoryGroup& group, const std::string& without = "") {
  const auto add = [&](const std::string& name, Node node) {
    if (name != without) group.add(name, std::move(node));
  };
  add("data", number_node<int32_t>({5, 7}));
  add("indices", number_node<int64_t>({0, 2}));
  add("indptr", number_node<int64_t>({0, 1, 2}));
  add("shape", number_node<int32_t>({3, 2}));
  if (without != "barcodes") group.add_text("barcodes", {"AAA-1", "CCC-1"});
}

// Returns every element as shown in a table.
inline std::vector<std::string> shown(const Array& array) {
  array.check();
  const Elements elements = read_all(array);
  std::vector<std::string> all;
  for (uint64_t i = 0; i < elements.count; ++i) append_plain(array.dtype(), elements, i, all.emplace_back());
  return all;
}

inline std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

using Texts = std::vector<std::string>;

}  // namespace plainfs::tenx
