#include "fs/text/field_text.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"

namespace plainfs {

namespace {

// Written by a sink. The counting sink must agree.
std::string csv(const DType& type, const Elements& elements, uint64_t i = 0) {
  std::string out, scratch;
  StringSink sink(out);
  put_csv_field(type, elements, i, scratch, sink);
  CountingSink count;
  put_csv_field(type, elements, i, scratch, count);
  BOOST_TEST(count.size() == out.size());
  return out;
}

Elements texts(const std::vector<std::string>& values) {
  TextBuilder builder;
  for (const std::string& value : values) builder.add(value);
  return builder.finish();
}

std::string csv_of_text(std::string_view text) {
  return csv(text_type(), texts({std::string(text)}));
}

// Returns values of `type` of which some need quotes, are empty or read as missing.
Elements random_fields(const DType& type, uint64_t count, std::mt19937_64& random) {
  Elements elements;
  if (type.kind == Kind::text) {
    const std::vector<std::string> some{"",    "NA",         "N",  "NAN",      "T cell",
                                        "a,b", "say \"hi\"", "\n", "gr\u00fcn"};
    TextBuilder builder;
    const bool all_plain = random() % 2 == 0;
    for (uint64_t i = 0; i < count; ++i)
      builder.add(all_plain ? some[random() % 5] : some[random() % some.size()]);
    elements = builder.finish();
  } else {
    elements = zero_elements(type, count);
    for (std::byte& byte : elements.bytes) byte = static_cast<std::byte>(random());
    const std::byte mask{type.kind == Kind::boolean ? uint8_t{1} : uint8_t{0x3f}};  // ASCII
    if (type.kind == Kind::boolean || type.kind == Kind::fixed_text)
      for (std::byte& byte : elements.bytes) byte &= mask;
  }
  if (random() % 2 == 0)
    for (uint64_t i = 0; i < count; ++i) elements.missing.push_back(random() % 20 < 3);
  return elements;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(field_text)

BOOST_AUTO_TEST_CASE(lengths_of_fields_are_those_of_their_text) {
  std::mt19937_64 random(1);
  DType fixed;
  fixed.kind = Kind::fixed_text;
  fixed.size = 3;
  const std::vector<DType> types = {type_of<int8_t>(),
                                    type_of<uint16_t>(),
                                    type_of<int32_t>(),
                                    type_of<uint64_t>(),
                                    type_of<float>(),
                                    type_of<double>(),
                                    text_type(),
                                    fixed,
                                    number_type(Kind::boolean, 1),
                                    number_type(Kind::real, 2),
                                    number_type(Kind::complex, 8)};
  for (const DType& type : types)
    for (int i = 0; i < 30; ++i) {
      const uint64_t count = random() % 700;
      const Elements elements = random_fields(type, count, random);
      const uint64_t first = random() % (count + 1), some = random() % (count - first + 1);
      uint64_t sum = 0;
      for (uint64_t element = first; element < first + some; ++element)
        sum += csv(type, elements, element).size();
      BOOST_REQUIRE_EQUAL(csv_field_lengths(type, elements, first, some), sum);
    }
}

BOOST_AUTO_TEST_CASE(lengths_of_text_beyond_utf8_are_damage) {
  std::vector<std::string> values(300, "plain");
  values[200] = "gr\xfcn";
  const Elements elements = texts(values);
  BOOST_TEST(csv_field_lengths(text_type(), elements, 0, 200) == 1000u);
  BOOST_CHECK_EXCEPTION(csv_field_lengths(text_type(), elements, 0, 300), Error,
                        mentions("text that is not UTF-8"));
  // Two texts that are valid only together.
  const Elements halves = texts({"gr\xc3", "\xbcn"});
  BOOST_CHECK_EXCEPTION(csv_field_lengths(text_type(), halves, 0, 2), Error,
                        mentions("text that is not UTF-8"));
}

BOOST_AUTO_TEST_CASE(csv_quotes_text_only_if_needed) {
  BOOST_TEST(csv_of_text("plain text") == "plain text");
  BOOST_TEST(csv_of_text("") == "\"\"");
  BOOST_TEST(csv_of_text("NA") == "\"NA\"");
  BOOST_TEST(csv_of_text("NAN") == "NAN");
  BOOST_TEST(csv_of_text("a,b") == "\"a,b\"");
  BOOST_TEST(csv_of_text("say \"hi\"") == "\"say \"\"hi\"\"\"");
  BOOST_TEST(csv_of_text("\"") == "\"\"\"\"");
  BOOST_TEST(csv_of_text("a\nb") == "\"a\nb\"");
  BOOST_TEST(csv_of_text("a\rb") == "\"a\rb\"");
  BOOST_TEST(csv_of_text(" a\tb ") == " a\tb ");
}

BOOST_AUTO_TEST_CASE(csv_quotes_values_shown_as_text) {
  DType colour = number_type(Kind::enumeration, 1);
  colour.base = Kind::unsigned_integer;
  colour.members = {{"RED", 0}, {"dark, blue", 255}};
  const Elements colours = elements_of<uint8_t>({0, 255, 200});
  BOOST_TEST(csv(colour, colours, 0) == "RED");
  BOOST_TEST(csv(colour, colours, 1) == "\"dark, blue\"");
  BOOST_TEST(csv(colour, colours, 2) == "200");
  Elements pairs;
  pairs.count = 1;
  pairs.children.push_back(elements_of<float>({1, 2.5f}));
  BOOST_TEST(csv(array_type(type_of<float>(), {2}), pairs) == "\"[1,2.5]\"");
  DType nothing;
  nothing.kind = Kind::blob;
  BOOST_TEST(csv(nothing, texts({""})) == "\"\"");
}

BOOST_AUTO_TEST_CASE(missing_is_an_unquoted_na) {
  Elements numbers = elements_of<int32_t>({1, 2});
  numbers.missing = {0, 1};
  BOOST_TEST(csv(type_of<int32_t>(), numbers, 0) == "1");
  BOOST_TEST(csv(type_of<int32_t>(), numbers, 1) == "NA");
  TextBuilder builder;
  builder.add_missing();
  BOOST_TEST(csv(text_type(), builder.finish()) == "NA");
}

BOOST_AUTO_TEST_CASE(non_utf8_text_is_damage) {
  DType fixed;
  fixed.kind = Kind::fixed_text;
  fixed.size = 4;
  Elements bytes = zero_elements(fixed, 1);
  bytes.bytes[0] = std::byte{0xff};
  DType colour = number_type(Kind::enumeration, 1);
  colour.members = {{"gr\xfcn", 0}};
  std::string out;
  BOOST_TEST(csv_of_text("gr\u00fcn, and more than eight bytes") ==
             "\"gr\u00fcn, and more than eight bytes\"");
  BOOST_CHECK_EXCEPTION(csv_of_text("gr\xfcn"), Error, mentions("text that is not UTF-8"));
  BOOST_CHECK_EXCEPTION(csv(fixed, bytes), Error, mentions("text that is not UTF-8"));
  BOOST_CHECK_EXCEPTION(csv(colour, elements_of<uint8_t>({0})), Error, mentions("text that is not UTF-8"));
  BOOST_CHECK_EXCEPTION(append_tsv_field(text_type(), texts({"gr\xfcn"}), 0, out), Error,
                        mentions("text that is not UTF-8"));
}

BOOST_AUTO_TEST_CASE(tsv_fields_are_never_quoted) {
  std::string out = "before\t";
  append_tsv_field(text_type(), texts({"a\tb\r\n\"c\","}), 0, out);
  BOOST_TEST(out == "before\ta b  \"c\",");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
