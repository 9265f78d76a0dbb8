// An h5Seurat file in memory, so that tests can break one thing at a time.
#pragma once

#include <bit>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "formats/schemas/h5seurat/schema.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"

namespace plainfs::h5seurat {

// R's NA_real_.
inline double na_real() {
  return std::bit_cast<double>(uint64_t{0x7FF00000000007A2});
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
  // Returns the member at a path of names.
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

}  // namespace plainfs::h5seurat
