#include "formats/core/model/node.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/elements/attribute.h"
#include "tests/support/mentions.h"

using namespace plainfs;

namespace {

class TestGroup : public Group {
 public:
  explicit TestGroup(std::vector<Member> members) : members_(std::move(members)) {}
  std::vector<Member> members() const override { return members_; }
  Attributes attributes() const override { return {{"of", Json("group")}}; }
  GroupPtr parent() const override { return nullptr; }
  std::string path() const override { return "/"; }

 private:
  std::vector<Member> members_;
};

std::string of(const Node& node) {
  const Attributes attributes = attributes_of(node);
  const Json* value = attributes.find("of");
  return value ? *value->text() : "nothing";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(node)

BOOST_AUTO_TEST_CASE(members_are_found_by_name_and_kind) {
  const ArrayPtr array = text_array({"x"});
  const auto inner = std::make_shared<TestGroup>(std::vector<Member>{});
  const TestGroup group({{"array", {LabelledArray{array, nullptr, nullptr}, nullptr, nullptr, {}}},
                         {"group", {std::monostate{}, inner, nullptr, {}}},
                         {"broken", {damaged("no header"), nullptr, nullptr, {}}},
                         {"half", {damaged("no table"), inner, nullptr, {}}}});
  BOOST_TEST(find_array(group, "array") == array);
  BOOST_TEST(!find_array(group, "group"));
  BOOST_TEST(!find_array(group, "none"));
  BOOST_CHECK_EXCEPTION(find_array(group, "broken"), Error, mentions("no header"));
  BOOST_TEST(find_group(group, "group") == inner);
  BOOST_TEST(find_group(group, "half") == inner);
  BOOST_TEST(!find_group(group, "array"));
  BOOST_TEST(!find_group(group, "none"));
  BOOST_CHECK_EXCEPTION(find_group(group, "broken"), Error, mentions("no header"));
}

BOOST_AUTO_TEST_CASE(attributes_come_from_their_owner) {
  const Attributes own{{"of", Json("array")}};
  const auto array = std::make_shared<MemoryArray>(text_type(), Shape{0}, zero_elements(text_type(), 0), own);
  Node node;
  BOOST_TEST(of(node) == "nothing");
  node.parts = std::make_shared<TestGroup>(std::vector<Member>{});
  BOOST_TEST(of(node) == "group");
  node.content = LabelledArray{array, nullptr, nullptr};
  BOOST_TEST(of(node) == "array");
  node.attributes = [] { return Attributes{{"of", Json("node")}}; };
  BOOST_TEST(of(node) == "node");
}

BOOST_AUTO_TEST_SUITE_END()
