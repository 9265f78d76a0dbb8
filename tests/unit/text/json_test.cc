#include "formats/core/text/json.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "tests/support/mentions.h"

namespace plainfs {

namespace {

std::string round_trip(std::string_view text) {
  return to_json_text(parse_json(text));
}

// Returns whether parsing throws damage with `words` in its message.
bool refused(std::string_view text, std::string_view words = "invalid JSON") {
  try {
    parse_json(text);
  } catch (const Error& error) {
    return error.code() == Errc::damaged &&
           std::string_view(error.what()).find(words) != std::string_view::npos;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(json)

BOOST_AUTO_TEST_CASE(values_keep_their_order_and_become_compact) {
  BOOST_TEST(round_trip(" { \"b\" : [ 1 , true , null , \"x\" ] , \"a\" : { } } ") ==
             R"({"b":[1,true,null,"x"],"a":{}})");
}

BOOST_AUTO_TEST_CASE(integer_tokens_of_any_length_stay) {
  BOOST_TEST(round_trip("[0,-7,18446744073709551615,123456789012345678901234567890]") ==
             "[0,-7,18446744073709551615,123456789012345678901234567890]");
}

BOOST_AUTO_TEST_CASE(other_numbers_are_reformatted) {
  BOOST_TEST(round_trip("[1.0,-2.50,1E-7,1e2,-0.0,123456789.125]") == "[1,-2.5,1e-07,100,-0,123456789.125]");
}

BOOST_AUTO_TEST_CASE(bare_non_finite_tokens_become_text) {
  BOOST_TEST(round_trip("[NaN, Infinity,-Infinity,1e999]") == R"(["NaN","Infinity","-Infinity","Infinity"])");
  BOOST_TEST(round_trip("{\"NaN\":\"-Infinity, [NaN]\"}") == "{\"NaN\":\"-Infinity, [NaN]\"}");
}

BOOST_AUTO_TEST_CASE(last_duplicate_value_takes_the_first_place) {
  BOOST_TEST(round_trip(R"({"a":1,"b":2,"a":3,"c":4,"b":5})") == R"({"a":3,"b":5,"c":4})");
}

BOOST_AUTO_TEST_CASE(text_is_escaped_only_if_json_requires_it) {
  BOOST_TEST(round_trip(R"("a\"\\\/\n\u0001\u00e9\ud83d\ude00")") == "\"a\\\"\\\\/\\n\\u0001é😀\"");
  std::string out;
  write_json_text("bad \xff\xc3 end", out);
  BOOST_TEST(out == "\"bad \uFFFD\uFFFD end\"");
}

BOOST_AUTO_TEST_CASE(invalid_json_is_damage) {
  for (const char* text : {"",          "[1",  "01",   "1.",         "+1",   "-",        "[1 2]",
                           "NaNx",      "nul", "Inf",  "{\"a\":1,}", "[1]x", "\"\xff\"", "\"\\ud800\"",
                           "{\"a\" 1}", "'a'", "[1,]", "\"open",     "\"\\", "[\"\\\"]"})
    BOOST_TEST(refused(text), text);
}

BOOST_AUTO_TEST_CASE(nesting_is_bounded) {
  BOOST_TEST(refused(std::string(100000, '['), "nested deeper than 256"));
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "{\"a\":";
  BOOST_TEST(refused(text, "nested deeper than 256"));
  BOOST_CHECK_NO_THROW(parse_json("[[1]]", 2));
  BOOST_CHECK_EXCEPTION(parse_json("[[[1]]]", 2), Error, mentions("JSON is nested deeper than 2"));
}

BOOST_AUTO_TEST_CASE(integers_are_exact_or_nothing) {
  BOOST_TEST(parse_json("9223372036854775807").as_int64().value() == std::numeric_limits<int64_t>::max());
  BOOST_TEST(!parse_json("9223372036854775808").as_int64());
  BOOST_TEST(parse_json("18446744073709551615").as_uint64().value() == std::numeric_limits<uint64_t>::max());
  BOOST_TEST(!parse_json("18446744073709551616").as_uint64());
  BOOST_TEST(!parse_json("-1").as_uint64());
  BOOST_TEST(parse_json("-0").as_uint64().value() == 0u);
  BOOST_TEST(!parse_json("1.5").as_int64());
  BOOST_TEST(!parse_json("\"1\"").as_int64());
  BOOST_TEST(!parse_json("true").as_uint64());
}

BOOST_AUTO_TEST_CASE(doubles_are_read_in_full) {
  BOOST_TEST(parse_json("0.1").as_double().value() == 0.1);
  BOOST_TEST(parse_json("5e-324").as_double().value() == 5e-324);
  BOOST_TEST(parse_json("1e-999").as_double().value() == 0);
  BOOST_TEST(parse_json("-1e999").as_double().value() == -HUGE_VAL);
  BOOST_TEST(std::isnan(parse_json("NaN").as_double().value()));
  BOOST_TEST(parse_json("-Infinity").as_double().value() == -HUGE_VAL);
  BOOST_TEST(!parse_json("null").as_double());
  BOOST_TEST(to_json_text(Json::of(0.5)) == "0.5");
  BOOST_TEST(to_json_text(Json::of(-HUGE_VAL)) == "\"-Infinity\"");
}

BOOST_AUTO_TEST_CASE(members_are_found_by_their_key) {
  const Json value = parse_json(R"({"a":{"b":[7]}})");
  BOOST_REQUIRE(value.find("a") && value.find("a")->find("b"));
  BOOST_TEST(value.find("a")->find("b")->list()->front().as_int64().value() == 7);
  BOOST_TEST(!value.find("b"));
  BOOST_TEST(!Json(1 == 1).find("a"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
