#include "formats/schemas/hdfstore/schema.h"

#include <boost/test/unit_test.hpp>

#include "formats/schemas/hdfstore/stored.h"
#include "tests/support/mentions.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"

namespace plainfs::hdfstore {
namespace {

Node node_with(const ArrayPtr& array) {
  return Node{LabelledArray{array, {}, {}}};
}

ArrayPtr fixed_texts(const std::vector<std::string>& values, uint32_t size, Attributes attributes = {}) {
  DType type;
  type.kind = Kind::fixed_text;
  type.size = size;
  Elements elements = zero_elements(type, values.size());
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(elements.bytes.data() + i * size, values[i].data(), values[i].size());
  return std::make_shared<MemoryArray>(type, Shape{values.size()}, std::move(elements),
                                       std::move(attributes));
}

Attributes of_kind(const char* kind) {
  return {{"kind", Json(kind)}, {"name", Json("N.")}};
}

// A fixed-format frame with two columns of one type, modified by tests.
struct FixedFrame {
  std::shared_ptr<MemoryGroup> group = std::make_shared<MemoryGroup>("/df");
  TestContext context;
  Attributes attributes{{"pandas_type", Json("frame")},
                        {"axis0_variety", Json("regular")},
                        {"axis1_variety", Json("regular")},
                        {"block0_items_variety", Json("regular")},
                        {"nblocks", Json::of(int64_t{1})}};

  FixedFrame() {
    group->add("axis0", node_with(fixed_texts({"b", "a"}, 1, of_kind("string"))));
    group->add("axis1", array_node<int64_t>({7, 8, 9}, {}, of_kind("integer")));
    group->add("block0_items", node_with(fixed_texts({"a", "b"}, 1, of_kind("string"))));
  }
  std::optional<Node> refined() {
    group->set_attributes(attributes);
    Node node;
    node.parts = group;
    return refine(node, context);
  }
  void set(const char* name, Json value) {
    for (Attribute& attribute : attributes)
      if (attribute.name == name) attribute.set_value(value);
  }
};

BOOST_AUTO_TEST_SUITE(hdfstore_schema)

BOOST_AUTO_TEST_CASE(other_nodes_stay_unchanged) {
  TestContext context;
  const auto group = std::make_shared<MemoryGroup>();
  Node node;
  node.parts = group;
  BOOST_TEST(!refine(node, context).has_value());
  group->set_attributes({{"pandas_type", Json("wide")}});
  BOOST_TEST(!refine(node, context).has_value());
  BOOST_TEST(!refine(array_node<int32_t>({1, 2, 3}), context).has_value());
}

class WithoutAttributes : public MemoryGroup {
 public:
  Attributes attributes() const override { throw damaged("cut short"); }
};

BOOST_AUTO_TEST_CASE(unreadable_attributes_matter_only_in_a_frame) {
  TestContext context;
  const auto group = std::make_shared<WithoutAttributes>();
  Node node;
  node.parts = group;
  BOOST_TEST(!refine(node, context).has_value());
  group->add("table", array_node<int32_t>({1}));
  BOOST_CHECK_EXCEPTION(refine(node, context), Error, mentions("cut short"));
}

BOOST_AUTO_TEST_CASE(columns_keep_the_order_of_the_frame) {
  FixedFrame frame;
  frame.group->add("block0_values",
                   array_node<double>({1, 2, 3, 4, 5, 6}, {3, 2}, {{"transposed", Json::of(int64_t{1})}}));
  const auto table = std::get<Table>(frame.refined().value().content);
  BOOST_TEST(table.rows == 3u);
  BOOST_TEST(shown(*table.row_names) == (Texts{"7", "8", "9"}), boost::test_tools::per_element());
  BOOST_TEST(table.columns.at(0).name == "b");
  BOOST_TEST(shown(*table.columns.at(0).values)[2] == shown(*array_of(array_node<double>({6})))[0]);
}

BOOST_AUTO_TEST_CASE(unknown_frame_shows_its_parts_with_a_notice) {
  FixedFrame frame;
  BOOST_TEST(!frame.refined().has_value());
  BOOST_TEST(
      frame.context.warned("/df: only the parts of a pandas frame are shown: block0_values is missing"));
  FixedFrame other;
  other.set("axis1_variety", Json("odd"));
  BOOST_TEST(!other.refined().has_value());
  BOOST_TEST(other.context.warned("an index of variety \"odd\""));
}

BOOST_AUTO_TEST_CASE(values_of_another_length_damage_the_table) {
  FixedFrame frame;
  frame.group->add("block0_values",
                   array_node<double>({1, 2, 3, 4}, {2, 2}, {{"transposed", Json::of(int64_t{1})}}));
  const auto table = std::get<Table>(frame.refined().value().content);
  BOOST_CHECK_EXCEPTION(table.columns.at(0).values->check(), Error, mentions("has 2 values for 3 rows"));
}

BOOST_AUTO_TEST_CASE(pickled_attribute_is_its_content) {
  const Attributes attributes{{"list", Json("(lp0\nVgene\np1\naI7\na.")},
                              {"none", Json("N.")},
                              {"word", Json("U.S.")},
                              {"bad", Json("(lp0\nq.")}};
  BOOST_TEST(to_json_text(attribute_of(attributes, "list")) == "[\"gene\",7]");
  BOOST_TEST(attribute_of(attributes, "none").is_null());
  BOOST_TEST(attribute_of(attributes, "absent").is_null());
  BOOST_TEST(to_json_text(attribute_of(attributes, "word")) == "\"U.S.\"");
  BOOST_TEST(attribute_of(attributes, "bad").text() != nullptr);
}

BOOST_AUTO_TEST_CASE(kind_attributes_define_the_type_of_values) {
  const ArrayPtr times = as_kind(array_of(array_node<int64_t>({0, INT64_MIN})), {"datetime64"});
  BOOST_TEST((times->dtype().kind == Kind::time_point && times->dtype().time_unit == TimeUnit::nano));
  BOOST_TEST((as_kind(array_of(array_node<int64_t>({0})), {"timedelta64"})->dtype().kind == Kind::time_span));
  BOOST_TEST(shown(*as_kind(array_of(array_node<int32_t>({719163})), {"date"})) == Texts{"0"},
             boost::test_tools::per_element());
  BOOST_TEST(as_kind(array_of(array_node<int8_t>({0, 1})), {"bool"})->dtype().is_truth());
  BOOST_TEST(shown(*as_kind(fixed_texts({"a", "nan"}, 3), {"string"})) == (Texts{"a", "NA"}),
             boost::test_tools::per_element());
  BOOST_CHECK_THROW(as_kind(array_of(array_node<int32_t>({0})), {"datetime64"}), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::hdfstore
