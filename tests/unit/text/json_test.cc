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

BOOST_AUTO_TEST_CASE(large_list_is_packed_and_unchanged) {
  std::string text = R"([1e3,NaN,"\n\u00e9",{"a":[null,true]},36893488147419103232)";
  for (int i = 0; i < 5000; ++i) text += ",[" + std::to_string(i) + ",\"x\"]";
  text += "]";
  const Json value = parse_json(text);
  BOOST_TEST(value.packed());
  BOOST_TEST(value.is_list());
  BOOST_TEST(value.list_has_objects());
  BOOST_TEST(round_trip(text).starts_with("[1000,\"NaN\",\"\\n\u00e9\",{\"a\":[null,true]},"));
  const Json::List& items = *value.list();
  BOOST_REQUIRE(items.size() == 5005u);
  BOOST_TEST(items[0].number()->token == "1e3");
  BOOST_TEST(*items[5004].list()->at(0).as_int64() == 4999);
  BOOST_TEST((value == parse_json(text)));
  BOOST_TEST((value == Json(items)));
  BOOST_TEST(!(value == parse_json("[" + text.substr(5))));
}

BOOST_AUTO_TEST_CASE(list_inside_packed_lists_is_found_by_its_place) {
  std::string inner = "[0";
  for (int i = 1; i < 3000; ++i) inner += "," + std::to_string(i);
  inner += "]";
  const Json value = parse_json("[[" + inner + "," + inner + "],{\"k\":" + inner + "}]");
  BOOST_TEST(*value.list()->at(0).list()->at(1).list()->at(2999).as_int64() == 2999);
  BOOST_TEST(*value.list()->at(1).find("k")->list()->back().as_int64() == 2999);
  BOOST_TEST(!value.list()->at(0).list_has_objects());
}

BOOST_AUTO_TEST_CASE(list_of_one_packed_list_has_no_only_item) {
  std::string inner = "[0";
  for (int i = 0; i < 3000; ++i) inner += ",0";
  const Json value = parse_json("[" + inner + "]]");
  BOOST_TEST(!value.only_item().number());
  BOOST_TEST(parse_json("[7]").only_item().number()->token == "7");
}

BOOST_AUTO_TEST_CASE(text_other_than_utf8_keeps_a_list_plain) {
  JsonList list;
  for (int i = 0; i < 3000; ++i) list.add(Json::of(int64_t{i}));
  list.add(std::string("\xff"));
  for (int i = 0; i < 3000; ++i) list.add(Json::of(int64_t{i}));
  const Json value = list.take();
  BOOST_TEST(!value.packed());
  BOOST_REQUIRE(value.list()->size() == 6001u);
  BOOST_TEST(*value.list()->at(3000).text() == "\xff");
  BOOST_TEST(*value.list()->at(2999).as_int64() == 2999);
}

BOOST_AUTO_TEST_CASE(list_too_large_to_unpack_is_still_written) {
  JsonList list;
  for (uint64_t i = 0; i <= kMaxUnpackedItems; ++i) list.add(Json::of(int64_t{1}), 1);
  const Json value = list.take();
  BOOST_CHECK_EXCEPTION(value.list(), Error, mentions("a list of 1048577 items, expected at most 1048576"));
  BOOST_TEST(to_json_text(value).size() == 2 * kMaxUnpackedItems + 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
