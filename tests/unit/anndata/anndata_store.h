// An AnnData in memory with three cells and two genes, so that tests can break one thing at a time.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "formats/schemas/anndata/schema.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"

namespace plainfs::anndata {

inline Attributes encoding(const std::string& type, const std::string& version) {
  return {{"encoding-type", Json(type)}, {"encoding-version", Json(version)}};
}

inline void set_attribute(MemoryGroup& group, const std::string& name, Json value,
                          std::optional<Error> error = {}) {
  Attributes attributes = group.attributes();
  std::erase_if(attributes, [&](const Attribute& attribute) { return attribute.name == name; });
  attributes.push_back(error ? Attribute(name, *std::move(error)) : Attribute(name, std::move(value)));
  group.set_attributes(std::move(attributes));
}

inline std::shared_ptr<MemoryGroup> add_frame(MemoryGroup& group, const std::string& name,
                                              const std::vector<std::string>& index,
                                              const std::vector<std::string>& columns = {}) {
  const auto frame = group.add_group(name);
  frame->set_attributes(encoding("dataframe", "0.2.0"));
  set_attribute(*frame, "_index", Json("_index"));
  set_attribute(*frame, "column-order", texts(columns));
  frame->add_text("_index", index);
  return frame;
}

// Adds c1: g2 = 5; c3: g1 = 6, g2 = 7, by cells.
inline std::shared_ptr<MemoryGroup> add_csr(MemoryGroup& group, const std::string& name) {
  const auto matrix = group.add_group(name);
  matrix->set_attributes(encoding("csr_matrix", "0.1.0"));
  set_attribute(*matrix, "shape", counts({3, 2}));
  matrix->add_array("data", {5, 6, 7}).add_array("indices", {1, 0, 1}).add_array("indptr", {0, 1, 1, 3});
  return matrix;
}

struct AnnDataStore {
  AnnDataStore() { root->set_attributes(encoding("anndata", "0.1.0")); }

  Node refined_root() {
    Node node;
    node.parts = root;
    auto refined = anndata::refine(node, context);
    if (!refined) throw not_found("no meaning");
    return *refined;
  }
  // Returns the member at a path of names.
  Node at(std::initializer_list<std::string> names) {
    Node node = refined_root();
    for (const std::string& name : names) {
      auto found = node.parts->find(name);
      if (!found) throw not_found("{}", name);
      node = std::move(*found);
    }
    return node;
  }

  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  std::shared_ptr<MemoryGroup> obs = add_frame(*root, "obs", {"c1", "c2", "c3"});
  std::shared_ptr<MemoryGroup> var = add_frame(*root, "var", {"g1", "g2"});
  std::shared_ptr<MemoryGroup> x = add_csr(*root, "X");
};

}  // namespace plainfs::anndata
