// A VCF Zarr group in memory: three variants of two samples, so that tests can break one thing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/schemas/vcf/schema.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"

namespace plainfs::vcf {

inline Node node_of(ArrayPtr array) {
  return Node{LabelledArray{std::move(array), nullptr, nullptr}};
}

// Values with the names of their axes, in the form of Zarr version 2.
class NamedAxes : public DerivedArray {
 public:
  NamedAxes(ArrayPtr values, std::vector<std::string> axes, Attributes others)
      : DerivedArray(values, values->dtype()), attributes_(std::move(others)) {
    if (!axes.empty()) attributes_.push_back({"_ARRAY_DIMENSIONS", texts(axes)});
  }
  Attributes attributes() const override { return attributes_; }

 private:
  Attributes attributes_;
};

inline ArrayPtr text_of_shape(const std::vector<std::string>& values, Shape shape) {
  TextBuilder builder;
  for (const std::string& value : values) builder.add(value);
  return std::make_shared<MemoryArray>(text_type(), std::move(shape), builder.finish());
}
inline ArrayPtr truths(const std::vector<uint8_t>& values, Shape shape) {
  return std::make_shared<MemoryArray>(number_type(Kind::boolean, 1), std::move(shape), elements_of(values));
}

struct VcfStore {
  using Axes = std::vector<std::string>;

  TestContext context;
  Attributes attributes{{"vcf_zarr_version", Json("0.4")}};
  std::map<std::string, Node> members;

  VcfStore() {
    put("contig_id", text_of_shape({"1", "X"}, {2}), {"contigs"});
    put("filter_id", text_of_shape({"PASS", "q10"}, {2}), {"filters"});
    put("sample_id", text_of_shape({"a", "b"}, {2}), {"samples"});
    put("variant_contig", numbers<int8_t>({0, 0, 1}), {"variants"});
    put("variant_position", numbers<int32_t>({5, 9, 7}), {"variants"});
    put("variant_allele", text_of_shape({"A", "C", "", "G", "T", "GT", "T", "", ""}, {3, 3}),
        {"variants", "alleles"});
    put("variant_filter", truths({1, 0, 0, 0, 0, 1}, {3, 2}), {"variants", "filters"});
    put("variant_DP", numbers<int32_t>({3, -1, 7}), {"variants"});
    put("call_genotype", numbers<int8_t>({0, 1, 1, 1, 0, 2, -1, -1, 0, -2, 0, 0}, {3, 2, 2}),
        {"variants", "samples", "ploidy"});
  }

  VcfStore& put(const std::string& name, ArrayPtr array, Axes axes = {}, Attributes others = {}) {
    members[name] =
        node_of(std::make_shared<NamedAxes>(std::move(array), std::move(axes), std::move(others)));
    return *this;
  }
  VcfStore& remove(const std::string& name) {
    members.erase(name);
    return *this;
  }
  Node raw() const {
    const auto group = std::make_shared<MemoryGroup>();
    for (const auto& [name, node] : members) group->add(name, node);
    group->set_attributes(attributes);
    Node node;
    node.parts = group;
    return node;
  }
  std::optional<Node> refined() { return refine(raw(), context); }
  Variants variants() { return std::get<Variants>(refined().value().content); }
  Table sites() { return std::get<Table>(refined().value().parts->find("sites").value().content); }
};

}  // namespace plainfs::vcf
