#include "formats/core/model/elements/element_text.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"

namespace plainfs {

namespace {

std::string plain(const DType& type, const Elements& elements, uint64_t i = 0) {
  std::string out;
  append_plain(type, elements, i, out);
  return out;
}

// Returns the JSON as text. Checks that the JSON value is the same.
std::string json(const DType& type, const Elements& elements, uint64_t i = 0) {
  std::string out;
  append_json(type, elements, i, out);
  BOOST_TEST(to_json_text(json_of(type, elements, i)) == out);
  return out;
}

Elements texts(const std::vector<std::string>& values) {
  TextBuilder builder;
  for (const std::string& value : values) builder.add(value);
  return builder.finish();
}

Elements stored(std::string_view bytes, uint64_t count) {
  Elements elements;
  elements.count = count;
  elements.bytes.assign(as_byte_span(bytes).begin(), as_byte_span(bytes).end());
  return elements;
}

DType variable(Kind kind) {
  DType type;
  type.kind = kind;
  return type;
}

std::string cell(std::string_view canonical) {
  return plain(variable(Kind::json), texts({std::string(canonical)}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(element_text)

BOOST_AUTO_TEST_CASE(missing_is_na_and_null_in_json) {
  Elements elements = elements_of<int32_t>({1, 2});
  elements.missing = {0, 1};
  BOOST_TEST(plain(type_of<int32_t>(), elements, 0) == "1");
  BOOST_TEST(plain(type_of<int32_t>(), elements, 1) == "NA");
  BOOST_TEST(json(type_of<int32_t>(), elements, 1) == "null");
  TextBuilder builder;
  builder.add_missing();
  const Elements text = builder.finish();
  BOOST_TEST(plain(text_type(), text) == "NA");
}

BOOST_AUTO_TEST_CASE(truth_values) {
  const Elements bytes = elements_of<uint8_t>({0, 1, 7});
  const DType boolean = number_type(Kind::boolean, 1);
  BOOST_TEST(plain(boolean, bytes, 0) == "FALSE");
  BOOST_TEST(plain(boolean, bytes, 2) == "TRUE");
  BOOST_TEST(json(boolean, bytes, 1) == "true");
  DType logical = number_type(Kind::logical, 4);
  BOOST_TEST(plain(logical, elements_of<int32_t>({-1})) == "TRUE");
  BOOST_TEST(json(logical, elements_of<int32_t>({0})) == "false");
}

BOOST_AUTO_TEST_CASE(complex_numbers) {
  const DType type = number_type(Kind::complex, 16);
  const Elements elements = elements_of<double>({1, 2, -1.5, -0.25, NAN, -INFINITY, 0, NAN});
  BOOST_TEST(plain(type, elements, 0) == "1+2i");
  BOOST_TEST(plain(type, elements, 1) == "-1.5-0.25i");
  BOOST_TEST(plain(type, elements, 2) == "NaN-Infi");
  BOOST_TEST(plain(type, elements, 3) == "0+NaNi");
  BOOST_TEST(json(type, elements, 0) == "\"1+2i\"");
  BOOST_TEST(plain(number_type(Kind::complex, 8), elements_of<float>({0.1f, 1e20f})) == "0.1+1e+20i");
}

BOOST_AUTO_TEST_CASE(enumerations_show_names_and_numbers_without_one) {
  DType type = number_type(Kind::enumeration, 1);
  type.base = Kind::unsigned_integer;
  type.members = {{"RED", 0}, {"dark, blue", 255}};
  const Elements elements = elements_of<uint8_t>({0, 255, 200});
  BOOST_TEST(plain(type, elements, 0) == "RED");
  BOOST_TEST(plain(type, elements, 1) == "dark, blue");
  BOOST_TEST(plain(type, elements, 2) == "200");
  BOOST_TEST(json(type, elements, 0) == "\"RED\"");
  BOOST_TEST(json(type, elements, 2) == "200");
}

BOOST_AUTO_TEST_CASE(not_a_time_is_missing) {
  DType point = number_type(Kind::time_point, 8);
  point.time_unit = TimeUnit::day;
  DType span = number_type(Kind::time_span, 8);
  const Elements elements = elements_of<int64_t>({0, INT64_MIN, -7});
  BOOST_TEST(plain(point, elements, 0) == "1970-01-01");
  BOOST_TEST(plain(point, elements, 1) == "NA");
  BOOST_TEST(json(point, elements, 0) == "\"1970-01-01\"");
  BOOST_TEST(json(point, elements, 1) == "null");
  BOOST_TEST(plain(span, elements, 1) == "NA");
  BOOST_TEST(plain(span, elements, 2) == "-7");
  BOOST_TEST(json(span, elements, 2) == "-7");
}

BOOST_AUTO_TEST_CASE(fixed_text_loses_its_padding) {
  DType type;
  type.kind = Kind::fixed_text;
  type.size = 4;
  BOOST_TEST(plain(type, stored(std::string("ab\0\0\0\0\0\0a\0b\0", 12), 3), 0) == "ab");
  BOOST_TEST(plain(type, stored(std::string(4, '\0'), 1)).empty());
  BOOST_TEST(plain(type, stored(std::string("a\0b\0", 4), 1)) == (std::string("a\0b", 3)));
  type.padding = Padding::space_padded;
  BOOST_TEST(plain(type, stored(" a  ", 1)) == " a");
}

BOOST_AUTO_TEST_CASE(text_stays_as_stored_except_in_json) {
  DType fixed;
  fixed.kind = Kind::fixed_text;
  fixed.size = 2;
  BOOST_TEST(plain(fixed, stored("a\xe9", 1)) == "a\xe9");
  BOOST_TEST(plain(text_type(), texts({"a\xe9"})) == "a\xe9");
  BOOST_TEST(*json_of(text_type(), texts({"a\xe9"}), 0).text() == "a\xe9");
  std::string out;
  BOOST_CHECK_EXCEPTION(append_json(fixed, stored("a\xe9", 1), 0, out), Error,
                        mentions("text that is not UTF-8"));
  BOOST_CHECK_EXCEPTION(append_json(text_type(), texts({"a\xe9"}), 0, out), Error,
                        mentions("text that is not UTF-8"));
}

BOOST_AUTO_TEST_CASE(fixed_utf32_becomes_utf8) {
  DType type;
  type.kind = Kind::fixed_utf32;
  type.size = 16;
  BOOST_TEST(plain(type, elements_of<uint32_t>({'a', 0xe9, 0x20ac, 0x1f600})) == "aé€😀");
  BOOST_TEST(plain(type, elements_of<uint32_t>({'a', 0, 0, 0})) == "a");
  BOOST_CHECK_EXCEPTION(plain(type, elements_of<uint32_t>({0x110000, 0, 0, 0})), Error,
                        mentions("the character U+110000 does not exist"));
  BOOST_CHECK_EXCEPTION(plain(type, elements_of<uint32_t>({0xd800, 0, 0, 0})), Error,
                        mentions("the character U+D800 does not exist"));
}

BOOST_AUTO_TEST_CASE(bytes_without_meaning_are_hex) {
  DType opaque;
  opaque.kind = Kind::opaque;
  opaque.size = 3;
  BOOST_TEST(plain(opaque, stored(std::string_view("\x00\xab\xff", 3), 1)) == "00abff");
  BOOST_TEST(plain(variable(Kind::blob), texts({"abc", ""}), 0) == "616263");
  BOOST_TEST(plain(variable(Kind::blob), texts({"abc", ""}), 1).empty());
  BOOST_TEST(json(opaque, stored("abc", 1)) == "\"616263\"");
}

BOOST_AUTO_TEST_CASE(json_cells_show_their_content) {
  BOOST_TEST(cell("\"text\"") == "text");
  BOOST_TEST(cell("\"NA\"") == "NA");
  BOOST_TEST(cell("\"q\\\"\\n\"") == "q\"\n");
  BOOST_TEST(cell("1099511627776") == "1099511627776");
  BOOST_TEST(cell("1e-07") == "1e-07");
  BOOST_TEST(cell("true") == "TRUE");
  BOOST_TEST(cell("null") == "NA");
  BOOST_TEST(cell("[]") == "[]");
  BOOST_TEST(cell("[1,\"a\"]") == "[1,\"a\"]");
  BOOST_TEST(cell("{}") == "{}");
  BOOST_TEST(cell("-Infinity") == "-Inf");
  BOOST_TEST(json(variable(Kind::json), texts({"-Infinity"})) == "\"-Infinity\"");
  BOOST_TEST(json(variable(Kind::json), texts({"{\"k\":[1,null]}"})) == "{\"k\":[1,null]}");
}

BOOST_AUTO_TEST_CASE(arrays_inside_elements_are_json) {
  const DType type = array_type(type_of<float>(), {2, 2});
  Elements elements;
  elements.count = 2;
  elements.children.push_back(elements_of<float>({1, 2.5f, NAN, -INFINITY, 5, 6, 7, 8}));
  BOOST_TEST(json(type, elements, 0) == "[[1,2.5],[\"NaN\",\"-Infinity\"]]");
  BOOST_TEST(json(type, elements, 1) == "[[5,6],[7,8]]");
  const DType empty = array_type(type_of<float>(), {2, 0});
  Elements nothing;
  nothing.count = 1;
  nothing.children.push_back(elements_of<float>({}));
  BOOST_TEST(plain(empty, nothing) == "[[],[]]");
}

BOOST_AUTO_TEST_CASE(sequences_are_json) {
  const DType type = sequence_type(text_type());
  Elements elements;
  elements.count = 3;
  elements.offsets = {0, 2, 2, 3};
  TextBuilder builder;
  builder.add("a");
  builder.add_missing();
  builder.add("q\"");
  elements.children.push_back(builder.finish());
  BOOST_TEST(json(type, elements, 0) == "[\"a\",null]");
  BOOST_TEST(plain(type, elements, 1) == "[]");
  BOOST_TEST(plain(type, elements, 2) == "[\"q\\\"\"]");
}

BOOST_AUTO_TEST_CASE(compounds_in_json_are_objects) {
  const DType type =
      packed_compound_type({{"a", type_of<int8_t>(), 0}, {"b\"", number_type(Kind::boolean, 1), 0}});
  Elements elements;
  elements.count = 1;
  elements.children.push_back(elements_of<int8_t>({-3}));
  elements.children.push_back(elements_of<uint8_t>({1}));
  BOOST_TEST(json(type, elements) == "{\"a\":-3,\"b\\\"\":true}");
}

BOOST_AUTO_TEST_CASE(references_are_paths_and_null_ones_missing) {
  TextBuilder builder;
  builder.add("/grp/x, y");
  builder.add_missing();
  const Elements elements = builder.finish();
  BOOST_TEST(plain(variable(Kind::reference), elements, 0) == "/grp/x, y");
  BOOST_TEST(plain(variable(Kind::reference), elements, 1) == "NA");
  BOOST_TEST(json(variable(Kind::reference), elements, 1) == "null");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
