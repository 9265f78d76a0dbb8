#include "formats/core/text/json_members.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"

namespace plainfs {
namespace {

const char* const kText = R"({"text": "a", "flag": true, "count": 3, "list": [1, "b"], "below": -1})";

BOOST_AUTO_TEST_CASE(members_of_the_right_kind_are_returned) {
  const Json object = parse_json(kText);
  BOOST_TEST(required_text(object, "text") == "a");
  BOOST_TEST(required_flag(object, "flag"));
  BOOST_TEST(required_count(object, "count") == 3u);
  BOOST_TEST(optional_text(object, "text") == "a");
  std::string items;
  for_each_required(object, "list", [&](const Json& item) { items += to_json_text(item) + ";"; });
  BOOST_TEST(items == "1;\"b\";");
}

BOOST_AUTO_TEST_CASE(missing_and_other_members_are_damage_with_their_name) {
  const Json object = parse_json(kText);
  const auto no_use = [](const Json&) {};
  BOOST_CHECK_EXCEPTION(required(object, "x"), Error, mentions("x is missing"));
  BOOST_CHECK_EXCEPTION(required(Json("x"), "a"), Error, mentions("\"x\" is not an object"));
  BOOST_CHECK_EXCEPTION(required_text(object, "flag"), Error, mentions("invalid flag: true"));
  BOOST_CHECK_EXCEPTION(required_flag(object, "count"), Error, mentions("invalid count: 3"));
  BOOST_CHECK_EXCEPTION(required_count(object, "below"), Error, mentions("invalid below: -1"));
  BOOST_CHECK_EXCEPTION(for_each_required(object, "text", no_use), Error, mentions("invalid text: \"a\""));
  BOOST_TEST(optional_text(object, "x") == "");
  BOOST_TEST(optional_text(object, "flag") == "");
  BOOST_TEST(optional_text(Json(), "flag") == "");
}

BOOST_AUTO_TEST_CASE(packed_lists_of_any_length_are_visited) {
  JsonList list;
  constexpr uint64_t kItems = kMaxUnpackedItems + 1;
  for (uint64_t i = 0; i < kItems; ++i) list.add(Json::of(i));
  uint64_t next = 0, wrong = 0;
  for_each_item(list.take(), [&](const Json& item) { wrong += item.as_uint64() != next++; });
  BOOST_TEST(next == kItems);
  BOOST_TEST(wrong == 0u);
}

}  // namespace
}  // namespace plainfs
