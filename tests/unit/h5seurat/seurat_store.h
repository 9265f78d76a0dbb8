// An h5Seurat file in memory, to break one thing at a time.
#pragma once

#include <bit>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "formats/h5seurat/schema.h"
#include "tests/support/test_context.h"
#include "tests/unit/fs/memory_store.h"

namespace plainfs::h5seurat {

// R's NA_real_.
inline double na_real() {
  return std::bit_cast<double>(uint64_t{0x7FF00000000007A2});
}

template <class T>
Node array_node(const std::vector<T>& values, Shape shape = {}, Attributes attributes = {}) {
  const Kind kind = std::is_floating_point_v<T> ? Kind::real : Kind::integer;
  const DType dtype = number_type(kind, sizeof(T));
  Elements elements = zero_elements(dtype, values.size());
  std::copy(values.begin(), values.end(), elements.mutable_values<T>().begin());
  if (shape.empty()) shape = {values.size()};
  Node node;
  node.content = LabelledArray{
      std::make_shared<MemoryArray>(dtype, std::move(shape), std::move(elements), std::move(attributes)),
      nullptr, nullptr};
  return node;
}

inline Json texts(const std::vector<std::string>& values) {
  Json::List list;
  for (const std::string& value : values) list.emplace_back(value);
  return list;
}
inline Json numbers(const std::vector<uint64_t>& values) {
  Json::List list;
  for (const uint64_t value : values) list.push_back(Json::of(value));
  return list;
}

// Three cells, two features, one assay.
struct SeuratStore {
  SeuratStore() {
    root->set_attributes(
        {{"project", Json("p")}, {"active.assay", texts({"A"})}, {"version", texts({"4.1.3"})}});
    root->add_text("cell.names", {"c1", "c2", "c3"});
    assay->add_text("features", {"f1", "f2"});
  }
  GroupPtr refined() {
    Node node;
    node.parts = root;
    auto result = h5seurat::refine(node, context);
    return result ? result->parts : nullptr;
  }
  // The member at a path of names.
  Node at(std::initializer_list<std::string> names) {
    GroupPtr group = refined();
    Node node;
    for (const std::string& name : names) {
      auto found = group->find(name);
      if (!found) throw not_found("{}", name);
      node = std::move(*found);
      group = node.parts;
    }
    return node;
  }

  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  std::shared_ptr<MemoryGroup> assays = root->add_group("assays");
  std::shared_ptr<MemoryGroup> assay = assays->add_group("A");
};

// Every element as text, missing ones as "NA".
inline std::vector<std::string> shown(const Array& array) {
  const Elements elements = read_all(array);
  std::vector<std::string> values;
  for (uint64_t i = 0; i < elements.count; ++i) {
    if (elements.is_missing(i))
      values.emplace_back("NA");
    else if (array.dtype().kind == Kind::text)
      values.emplace_back(elements.text(i));
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

}  // namespace plainfs::h5seurat
