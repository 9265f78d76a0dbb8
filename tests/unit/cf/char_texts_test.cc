#include "formats/schemas/cf/char_texts.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"

namespace plainfs::chartext {
namespace {

DType character() {
  DType type;
  type.kind = Kind::fixed_text;
  type.size = 1;
  return type;
}

Node characters(std::string_view bytes, Shape shape, Attributes attributes) {
  Elements elements = zero_elements(character(), bytes.size());
  if (!bytes.empty()) std::memcpy(elements.bytes.data(), bytes.data(), bytes.size());
  return Node{LabelledArray{std::make_shared<MemoryArray>(character(), std::move(shape), std::move(elements),
                                                          std::move(attributes)),
                            {},
                            {}}};
}

Attributes of_xarray() {
  return {{"_Encoding", Json("utf-8")}};
}

Attributes with_axes(std::vector<std::string> names) {
  return {{"_ARRAY_DIMENSIONS", texts(names)}};
}

// Returns null if the node is not refined.
ArrayPtr joined(const Node& node) {
  TestContext context;
  const std::optional<Node> refined = refine(node, context);
  return refined ? std::get<LabelledArray>(refined->content).labels : nullptr;
}

using namespace std::string_view_literals;

BOOST_AUTO_TEST_SUITE(chartext_schema)

BOOST_AUTO_TEST_CASE(characters_are_joined_along_the_last_axis) {
  const ArrayPtr names = joined(characters("ab\0c\xc3\xbc"sv, {2, 3}, of_xarray()));
  BOOST_REQUIRE(names);
  BOOST_TEST(names->shape() == Shape{2}, boost::test_tools::per_element());
  BOOST_TEST(shown(*names) == (Texts{"ab", "c\u00fc"}), boost::test_tools::per_element());
  const ArrayPtr labels = joined(characters("abcdefgh", {2, 2, 2}, of_xarray()));
  BOOST_REQUIRE(labels);
  BOOST_TEST(shown(*labels) == (Texts{"ab", "cd", "ef", "gh"}), boost::test_tools::per_element());
  const Elements one = labels->read({{1, 0}, {1, 1}});
  BOOST_TEST(as_text(one.bytes) == "ef");
}

BOOST_AUTO_TEST_CASE(stored_characters_stay_beside_the_texts) {
  TestContext context;
  const std::optional<Node> refined = refine(characters("abcd", {2, 2}, of_xarray()), context);
  BOOST_REQUIRE(refined.has_value());
  BOOST_TEST(std::get<LabelledArray>(refined->content).values->shape() == (Shape{2, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(!refine(*refined, context).has_value());
}

class WithBrokenAttributes : public MemoryArray {
 public:
  using MemoryArray::MemoryArray;
  Attributes attributes() const override { throw damaged(".zattrs: invalid JSON at byte 8"); }
};

BOOST_AUTO_TEST_CASE(broken_attributes_damage_the_texts_alone) {
  Elements elements = zero_elements(character(), 2);
  const auto stored = std::make_shared<WithBrokenAttributes>(character(), Shape{1, 2}, std::move(elements));
  TestContext context;
  const std::optional<Node> refined = refine(Node{.content = LabelledArray{stored, {}, {}}}, context);
  BOOST_REQUIRE(refined.has_value());
  const auto& array = std::get<LabelledArray>(refined->content);
  BOOST_TEST(array.values == stored);
  BOOST_CHECK_EXCEPTION(array.labels->check(), Error, mentions("invalid JSON at byte 8"));
}

// An array of one repeated character that reports this.
class Same : public Array {
 public:
  Same() : Array(character(), {2, 3}) {}
  Elements read(const Box& box) const override {
    return repeated_element(dtype(), *repeated(box), element_count(box.extent));
  }
  std::optional<Elements> repeated(const Box&) const override {
    Elements one = zero_elements(dtype(), 1);
    one.bytes[0] = std::byte{'x'};
    return one;
  }
  Attributes attributes() const override { return of_xarray(); }
};

BOOST_AUTO_TEST_CASE(single_repeated_character_is_a_whole_text) {
  Node node;
  node.content = LabelledArray{std::make_shared<Same>(), {}, {}};
  const ArrayPtr names = joined(node);
  BOOST_REQUIRE(names);
  BOOST_TEST(as_text(names->repeated({{0}, {2}})->bytes) == "xxx");
}

BOOST_AUTO_TEST_CASE(zarr_characters_are_joined_if_the_axis_is_named_so) {
  for (const char* name : {"strlen", "string_length", "NCHAR", "name_len"})
    BOOST_TEST(joined(characters("abcd", {2, 2}, with_axes({"station", name}))) != nullptr, name);
  BOOST_TEST(!joined(characters("ACGT", {2, 2}, with_axes({"variants", "alleles"}))));
  Attributes of_bytes = with_axes({"station", "string2"});
  BOOST_TEST(!joined(characters("abcd", {2, 2}, of_bytes)));
  of_bytes.push_back({"_Encoding", Json("utf-8")});
  BOOST_TEST(joined(characters("abcd", {2, 2}, of_bytes)) != nullptr);
}

BOOST_AUTO_TEST_CASE(other_characters_stay_unchanged) {
  TestContext context;
  BOOST_TEST(!joined(characters("abcd", {2, 2}, {})));
  BOOST_TEST(!joined(characters("ab", {2}, of_xarray())));
  BOOST_TEST(!joined(characters("", {2, 0}, of_xarray())));
  BOOST_TEST(!refine(array_node<int32_t>({1, 2, 3, 4}, {2, 2}, of_xarray()), context).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::chartext
