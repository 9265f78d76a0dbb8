#include "formats/core/text/indented_json.h"

#include <boost/test/unit_test.hpp>

namespace plainfs {
namespace {

const Json kValue = Json::Object{{"b", Json::List{Json::of(int64_t{1}), Json::Number{"2.50"}, Json()}},
                                 {"a", Json::Object{{"é\n", "\xF0\x9D\x84\x9E\x7f"}}},
                                 {"none", Json::List{}},
                                 {"empty", Json::Object{}}};

BOOST_AUTO_TEST_CASE(each_value_has_a_line_and_text_is_ascii) {
  BOOST_TEST(indented_json(kValue, {2}) ==
             "{\n  \"b\": [\n    1,\n    2.50,\n    null\n  ],\n"
             "  \"a\": {\n    \"\\u00e9\\n\": \"\\ud834\\udd1e\\u007f\"\n  },\n"
             "  \"none\": [],\n  \"empty\": {}\n}");
}

BOOST_AUTO_TEST_CASE(keys_are_sorted_and_other_text_kept_on_request) {
  BOOST_TEST(indented_json(kValue, {1, true, false}) ==
             "{\n \"a\": {\n  \"é\\n\": \"\xF0\x9D\x84\x9E\x7f\"\n },\n"
             " \"b\": [\n  1,\n  2.50,\n  null\n ],\n \"empty\": {},\n \"none\": []\n}");
}

BOOST_AUTO_TEST_CASE(invalid_utf8_becomes_a_replacement_character) {
  BOOST_TEST(indented_json("a\xff", {2}) == "\"a\\ufffd\"");
  BOOST_TEST(indented_json("a\xff", {2, false, false}) == "\"a\uFFFD\"");
}

}  // namespace
}  // namespace plainfs
