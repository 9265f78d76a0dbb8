#include "formats/containers/rds/qs_reader.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "formats/core/base/error.h"
#include "tests/support/bytes_file.h"
#include "tests/support/mentions.h"
#include "tests/support/test_context.h"
#include "tests/unit/rds/rds_file.h"

namespace {

using namespace plainfs;
using namespace plainfs::rds;
using namespace std::string_literals;

std::string little(uint64_t value, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i);
  return bytes;
}
std::string name(const std::string& text) {
  return static_cast<char>(0x20 | text.size()) + text;
}
std::string integers(const std::vector<uint32_t>& values) {
  std::string bytes(1, static_cast<char>(0x60 | values.size()));
  for (const uint32_t value : values) bytes += little(value, 4);
  return bytes;
}
std::string pairs(const std::string& tag, const std::string& object) {
  return "\x1c\x03"s + little(1, 4) + name(tag) + object;
}
// An environment with one variable x.
std::string environment(uint32_t number, const std::string& x) {
  return "\x1c\x08"s + little(number, 4) + "\0"s + pairs("x", x) + "\0"s;
}

rds::ValuePtr read(const std::string& content, unsigned shuffled = 0) {
  static TestContext context;
  const QsValue read = read_qs(std::make_shared<BytesFile>(content), shuffled, context);
  BOOST_TEST(read.bytes_after == 0);
  return read.value;
}

std::vector<int64_t> numbers_in(const rds::ValuePtr& value) {
  BOOST_REQUIRE(value);
  return value->whole_numbers().value();
}

BOOST_AUTO_TEST_SUITE(qs_reader)

BOOST_AUTO_TEST_CASE(vectors_of_each_length_form_are_read) {
  for (const std::string& head :
       {"\x62"s, "\x09\x02"s, "\x0a"s + little(2, 2), "\x0b"s + little(2, 4), "\x0c"s + little(2, 8)}) {
    const rds::ValuePtr value = read(head + little(7, 4) + little(9, 4));
    BOOST_TEST((value->type == RType::integer));
    BOOST_TEST((numbers_in(value) == std::vector<int64_t>{7, 9}));
  }
}

BOOST_AUTO_TEST_CASE(bytes_of_numbers_are_joined) {
  const std::string planes = "\x01\x04\x02\x05\x00\x00\x00\x00"s;  // 0x0201, 0x0504
  BOOST_TEST((numbers_in(read("\x62" + planes, 2)) == std::vector<int64_t>{0x0201, 0x0504}));
  BOOST_TEST((numbers_in(read("\x82" + planes, 1)) == std::vector<int64_t>{0x0201, 0x0504}));
}

BOOST_AUTO_TEST_CASE(long_vector_is_read_on_demand) {
  constexpr uint32_t kCount = 100'000;
  std::string plain, planes(kCount * 4, '\0');
  for (uint32_t i = 0; i < kCount; ++i) {
    plain += little(i * 7, 4);
    for (size_t byte = 0; byte < 4; ++byte) planes[byte * kCount + i] = static_cast<char>(i * 7 >> 8 * byte);
  }
  for (const auto& [content, shuffled] : {std::pair(plain, 0u), std::pair(planes, 2u)}) {
    const rds::ValuePtr value = read("\x0b" + little(kCount, 4) + content, shuffled);
    const Elements some = value->vector->read(range(54'321, 3));
    BOOST_TEST((some.values<int32_t>()[0] == 54'321 * 7 && some.values<int32_t>()[2] == 54'323 * 7));
  }
}

BOOST_AUTO_TEST_CASE(strings_have_their_encodings) {
  const std::string content = "\xa5" + ("\x43"s + "\xc3\xa4") + "x";
  BOOST_CHECK_THROW(read(content), Error);  // five strings announced, of which the first has three bytes
  const rds::ValuePtr value = read("\xa4"s + "\x62\xc3\xa4" + "\xa1\xe4" + "\x0f" + "\x20");
  const Elements texts = read_all(*value->vector);
  BOOST_TEST(texts.text(0) == "\xc3\xa4");
  BOOST_TEST(texts.text(1) == "\xc3\xa4");
  BOOST_TEST(texts.is_missing(2));
  BOOST_TEST(texts.text(3) == "");
}

BOOST_AUTO_TEST_CASE(attributes_follow_the_value) {
  const rds::ValuePtr value = read("\xe1"s + integers({1, 2}) + name("dim") + integers({2, 1}));
  BOOST_TEST((numbers_in(value) == std::vector<int64_t>{1, 2}));
  BOOST_TEST((numbers_in(value->attribute("dim")) == std::vector<int64_t>{2, 1}));
}

BOOST_AUTO_TEST_CASE(slots_of_an_object_are_its_attributes) {
  const rds::ValuePtr value = read("\x1c\x02"s + "\xe2" + "\x1c\x01" + name("x") + integers({5}) + name("y") +
                                   "\x1d" + name("\1NULL\1"));
  BOOST_TEST((value->type == RType::s4));
  BOOST_TEST((numbers_in(value->attribute("x")) == std::vector<int64_t>{5}));
  BOOST_TEST(!value->attribute("y"));
}

BOOST_AUTO_TEST_CASE(environment_is_the_list_of_its_variables) {
  const rds::ValuePtr value = read(environment(1, integers({3})));
  BOOST_TEST((value->type == RType::list));
  BOOST_TEST((numbers_in(value->item("x")) == std::vector<int64_t>{3}));
}

BOOST_AUTO_TEST_CASE(environment_in_itself_is_null) {
  const rds::ValuePtr value = read(environment(1, "\x1c\x10"s + little(1, 4)));
  BOOST_TEST((value->item("x")->type == RType::null));
}

BOOST_AUTO_TEST_CASE(environment_first_met_in_a_function_is_kept) {
  const std::string function = "\x1c\x05"s + environment(1, integers({3})) + "\0\0"s;
  const rds::ValuePtr value = read("\x22" + function + "\x1c\x10"s + little(1, 4));
  BOOST_REQUIRE(value->items.size() == 2);
  BOOST_TEST(value->items[0]->name == "function");
  BOOST_TEST((numbers_in(value->items[1]->item("x")) == std::vector<int64_t>{3}));
}

BOOST_AUTO_TEST_CASE(evaluated_promise_is_its_value) {
  const rds::ValuePtr value = read("\x1c\x06"s + "\0"s + integers({8}) + "\x1d" + name("expression"));
  BOOST_TEST((numbers_in(value) == std::vector<int64_t>{8}));
}

BOOST_AUTO_TEST_CASE(value_in_the_serialisation_of_r_is_read) {
  RStream out = start();
  const std::string stream = out.integers({4, 5}).text;
  const rds::ValuePtr value = read("\x22\x19"s + little(stream.size(), 4) + stream + integers({6}));
  BOOST_TEST((numbers_in(value->items[0]) == std::vector<int64_t>{4, 5}));
  BOOST_TEST((numbers_in(value->items[1]) == std::vector<int64_t>{6}));
}

BOOST_AUTO_TEST_CASE(invalid_data_are_damaged) {
  BOOST_CHECK_EXCEPTION(read("\x63"s + little(1, 4)), Error, mentions("bytes left at byte 1, expected 12"));
  BOOST_CHECK_EXCEPTION(read("\x1b"s), Error, mentions("an R value begins with the byte 0x1b"));
  BOOST_CHECK_EXCEPTION(read("\x1c\x7f"s), Error, mentions("an R value begins with the bytes 0x1c 0x7f"));
  BOOST_CHECK_EXCEPTION(read("\xa1\x04"s), Error, mentions("a string begins with the byte 0x04"));
  BOOST_CHECK_EXCEPTION(read("\x14"s + little(uint64_t{1} << 60, 8)), Error, mentions("strings in 0 bytes"));
  BOOST_CHECK_THROW(read("\x08"s + little(uint64_t{1} << 62, 8)), Error);
}

BOOST_AUTO_TEST_CASE(deep_value_is_unsupported) {
  BOOST_CHECK_EXCEPTION(read(std::string(2000, '\x21')), Error, mentions("nested deeper than 800"));
}

BOOST_AUTO_TEST_CASE(qdata_has_the_elements_after_the_structure) {
  TestContext context;
  // A list of a text vector with the attribute a, an integer vector and a real one.
  const std::string structure = "\x23"s + "\xe1\xa2" + "\x01" + "a" + "\x61" + "\x62" + "\x41";
  const std::string content = structure + "\x01x" + "\xff" + little(0x3ff0000000000000, 8) + little(3, 4) +
                              little(1, 4) + little(2, 4);
  const QsValue read = read_qdata(std::make_shared<BytesFile>(content), context);
  BOOST_TEST(read.bytes_after == 0);
  BOOST_REQUIRE(read.value->items.size() == 3);
  const Elements texts = read_all(*read.value->items[0]->vector);
  BOOST_TEST(texts.text(0) == "x");
  BOOST_TEST(texts.is_missing(1));
  BOOST_TEST((numbers_in(read.value->items[0]->attribute("a")) == std::vector<int64_t>{3}));
  BOOST_TEST((numbers_in(read.value->items[1]) == std::vector<int64_t>{1, 2}));
  BOOST_TEST((numbers_in(read.value->items[2]) == std::vector<int64_t>{1}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
