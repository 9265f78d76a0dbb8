#include "fs/views/attrs_json.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

class Members : public Group {
 public:
  Members(std::vector<Member> members, Attributes attributes)
      : members_(std::move(members)), attributes_(std::move(attributes)) {}
  std::vector<Member> members() const override { return members_; }
  Attributes attributes() const override { return attributes_; }
  GroupPtr parent() const override { return nullptr; }
  std::string path() const override { return "/"; }

 private:
  const std::vector<Member> members_;
  const Attributes attributes_;
};

Node directory_of(std::vector<Member> members, Attributes attributes = {}) {
  Node node;
  node.parts = std::make_shared<Members>(std::move(members), std::move(attributes));
  return node;
}

Member array_member(std::string name, Attributes attributes) {
  Node node;
  node.content = LabelledArray{std::make_shared<MemoryArray>(type_of<int8_t>(), Shape{1},
                                                             elements_of<int8_t>({1}), std::move(attributes)),
                               nullptr, nullptr};
  return {std::move(name), std::move(node)};
}

std::vector<ViewEntry> offered(const Node& node, Context& context) {
  std::vector<ViewEntry> files;
  for (const View& view : views())
    if (view.option == "json") view.offer(node, context, files);
  return files;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(attrs_json_view)

BOOST_AUTO_TEST_CASE(own_attributes_and_those_of_members_without_a_directory) {
  const Attributes own = {{"a", Json::of(int64_t{1})}, {"n", parse_json("[NaN,1.0]")}};
  const Node node = directory_of({array_member("x", {{"unit", "m"}}),
                                  array_member("bare", {}),
                                  {"sub", directory_of({}, {{"hidden", true}})}},
                                 own);
  BOOST_TEST(attrs_json(node) == "{\".\":{\"a\":1,\"n\":[\"NaN\",1]},\"x\":{\"unit\":\"m\"}}\n");
}

BOOST_AUTO_TEST_CASE(directory_shown_as_array_has_its_own_attributes) {
  Node node = directory_of({}, {{"kind", "group"}});
  node.content = array_member("x", {{"kind", "array"}}).node.content;
  BOOST_TEST(attrs_json(node) == "{\".\":{\"kind\":\"group\"}}\n");
  node.attributes = [] { return Attributes{{"kind", "schema"}}; };
  BOOST_TEST(attrs_json(node) == "{\".\":{\"kind\":\"schema\"}}\n");
}

std::string json_of_member(Attributes attributes) {
  return attrs_json(
      directory_of({array_member("x", std::move(attributes)), array_member("y", {{"fine", true}})}));
}

BOOST_AUTO_TEST_CASE(non_utf8_text_fails_its_attribute_alone) {
  const std::string latin = "\xb5m";
  const std::string why = "{\"error\":\"text that is not UTF-8\"}";
  const std::string rest = "},\"y\":{\"fine\":true}}\n";
  BOOST_TEST(json_of_member({{"a", "\u00b5m"}}) == "{\"x\":{\"a\":\"\u00b5m\"" + rest);
  BOOST_TEST(json_of_member({{"unit", latin}, {"b", true}}) ==
             "{\"x\":{\"unit\":" + why + ",\"b\":true" + rest);
  BOOST_TEST(json_of_member({{"l", Json::List{Json::Object{{"k", latin}}}}}) ==
             "{\"x\":{\"l\":" + why + rest);
  BOOST_TEST(json_of_member({{"o", Json::Object{{latin, true}}}}) == "{\"x\":{\"o\":" + why + rest);
}

BOOST_AUTO_TEST_CASE(non_utf8_name_is_escaped) {
  const std::string latin = "\xb5m";
  BOOST_TEST(json_of_member({{latin, true}}) == "{\"x\":{\"\\\\265m\":true},\"y\":{\"fine\":true}}\n");
  BOOST_TEST(attrs_json(directory_of({array_member(latin, {{"a", true}})})) ==
             "{\"\\\\265m\":{\"a\":true}}\n");
}

BOOST_AUTO_TEST_CASE(broken_attribute_fails_alone) {
  BOOST_TEST(json_of_member({{"bad", unsupported("floating-point numbers of 16 bytes")}, {"b", true}}) ==
             "{\"x\":{\"bad\":{\"error\":\"floating-point numbers of 16 "
             "bytes\"},\"b\":true},\"y\":{\"fine\":true}}\n");
  BOOST_TEST(message_of([] {
               json_of_member({{"bad", unreadable("the disk fails")}});
             }) == "attribute bad: the disk fails");
}

BOOST_AUTO_TEST_CASE(file_exists_only_with_attributes) {
  TestContext context;
  BOOST_TEST(offered(directory_of({array_member("x", {})}), context).empty());
  BOOST_TEST(offered(array_member("x", {{"a", true}}).node, context).empty());
  const auto files = offered(directory_of({array_member("x", {{"a", true}})}), context);
  BOOST_REQUIRE_EQUAL(files.size(), 1u);
  BOOST_TEST(!files[0].is_beside);
  BOOST_TEST(files[0].name == ".attrs.json");
  BOOST_TEST(whole_text(*files[0].open()) == "{\"x\":{\"a\":true}}\n");
}

BOOST_AUTO_TEST_CASE(unreadable_attributes_affect_their_owner_alone) {
  TestContext context;
  Node node = directory_of({array_member("y", {{"fine", true}})});
  node.attributes = []() -> Attributes { throw damaged("cut short"); };
  const auto files = offered(node, context);
  BOOST_REQUIRE_EQUAL(files.size(), 1u);
  BOOST_TEST(whole_text(*files[0].open()) == "{\".\":{\"error\":\"cut short\"},\"y\":{\"fine\":true}}\n");
  BOOST_TEST(context.warned("/: cut short"));
}

BOOST_AUTO_TEST_CASE(temporarily_unreadable_attributes_fail_the_file) {
  TestContext context;
  Node node = directory_of({});
  node.attributes = []() -> Attributes { throw unreadable("the disk fails"); };
  const auto files = offered(node, context);
  BOOST_REQUIRE_EQUAL(files.size(), 1u);
  BOOST_TEST(message_of([&] { files[0].open()->size(); }) == "the disk fails");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
