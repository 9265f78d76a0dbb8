#include "formats/core/model/elements/elements.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/base/error.h"
#include "tests/support/mentions.h"
#include "tests/unit/model/random_elements.h"

using namespace plainfs;

namespace {

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

template <class T>
std::vector<T> values_of(const Elements& elements) {
  const auto values = elements.values<T>();
  return {values.begin(), values.end()};
}

std::vector<std::string> several(const std::string& one, uint64_t count) {
  return std::vector<std::string>(count, one);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(elements)

BOOST_AUTO_TEST_CASE(zero_elements_are_zero_and_empty) {
  for (const DType& type : sample_types()) {
    for (const uint64_t count : {0u, 3u}) {
      const Elements zero = zero_elements(type, count);
      check_layout(type, zero, count);
      for (const std::byte byte : zero.bytes) BOOST_TEST((byte == std::byte{0}));
    }
  }
  const Elements texts = zero_elements(text_type(), 2);
  BOOST_TEST(texts.text(1) == "");
}

BOOST_AUTO_TEST_CASE(overflowing_count_is_damaged) {
  BOOST_CHECK_EXCEPTION(zero_elements(number_type(Kind::integer, 8), ~uint64_t{0}), Error,
                        mentions("18446744073709551615 * 8 is over 64 bits"));
  BOOST_CHECK_EXCEPTION(zero_elements(number_type(Kind::integer, 8), uint64_t{1} << 60), Error,
                        mentions("1152921504606846976 elements of 8 bytes are too many"));
  BOOST_CHECK_EXCEPTION(zero_elements(text_type(), uint64_t{1} << 62), Error,
                        mentions("4611686018427387904 * 8 is over 64 bits"));
  BOOST_CHECK_EXCEPTION(repeated_element(text_type(), zero_elements(text_type(), 1), uint64_t{1} << 62),
                        Error, mentions("4611686018427387904 * 8 is over 64 bits"));
  BOOST_CHECK_EXCEPTION(zero_elements(array_type(number_type(Kind::integer, 8), {1000}), uint64_t{1} << 60),
                        Error, mentions("is over"));
}

BOOST_AUTO_TEST_CASE(repeated_element_is_the_same_everywhere) {
  Random random(5);
  for (const DType& type : sample_types()) {
    for (int round = 0; round < 10; ++round) {
      const Elements one = random_elements(type, 1, random);
      for (const uint64_t count : {0u, 1u, 2u, 7u, 64u}) {
        const Elements all = repeated_element(type, one, count);
        check_layout(type, all, count);
        BOOST_TEST(all_shown(type, all) == several(shown(type, one, 0), count),
                   boost::test_tools::per_element());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(append_copies_the_requested_elements) {
  Random random(6);
  for (const DType& type : sample_types()) {
    Elements target;
    std::vector<std::string> expected;
    for (int round = 0; round < 12; ++round) {
      const Elements source = random_elements(type, random() % 6, random);
      const uint64_t first = random() % (source.count + 1);
      const uint64_t count = random() % (source.count - first + 1);
      append(type, target, source, first, count);
      for (uint64_t i = 0; i < count; ++i) expected.push_back(shown(type, source, first + i));
      check_layout(type, target, expected.size());
      BOOST_TEST(all_shown(type, target) == expected, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(unpack_swaps_big_endian_numbers) {
  const Bytes stored = bytes_of({0, 1, 2, 3, 4, 5, 6, 7});
  BOOST_TEST(values_of<uint16_t>(unpack(number_type(Kind::unsigned_integer, 2, true), ByteSpan(stored), 4)) ==
                 (std::vector<uint16_t>{0x0001, 0x0203, 0x0405, 0x0607}),
             boost::test_tools::per_element());
  BOOST_TEST(values_of<uint32_t>(unpack(number_type(Kind::integer, 4, true), ByteSpan(stored), 2)) ==
                 (std::vector<uint32_t>{0x00010203, 0x04050607}),
             boost::test_tools::per_element());
  BOOST_TEST(values_of<uint64_t>(unpack(number_type(Kind::real, 8, true), ByteSpan(stored), 1)) ==
                 (std::vector<uint64_t>{0x0001020304050607}),
             boost::test_tools::per_element());
  // A complex number is two numbers. Text in UTF-32 is swapped unit by unit. Bytes are not swapped.
  BOOST_TEST(values_of<uint32_t>(unpack(number_type(Kind::complex, 8, true), ByteSpan(stored), 1)) ==
                 (std::vector<uint32_t>{0x00010203, 0x04050607}),
             boost::test_tools::per_element());
  BOOST_TEST(values_of<uint32_t>(unpack(number_type(Kind::fixed_utf32, 8, true), ByteSpan(stored), 1)) ==
                 (std::vector<uint32_t>{0x00010203, 0x04050607}),
             boost::test_tools::per_element());
  BOOST_TEST((unpack(number_type(Kind::opaque, 8, true), ByteSpan(stored), 1).bytes == stored));
  BOOST_TEST((unpack(number_type(Kind::fixed_text, 4, true), ByteSpan(stored), 2).bytes == stored));
}

BOOST_AUTO_TEST_CASE(unpack_reuses_bytes_given_to_it) {
  Bytes stored = bytes_of({1, 0, 2, 0});
  const std::byte* const where = stored.data();
  const Elements elements = unpack(number_type(Kind::integer, 2), std::move(stored), 2);
  BOOST_TEST((elements.bytes.data() == where));
  BOOST_TEST(values_of<int16_t>(elements) == (std::vector<int16_t>{1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unpack_takes_records_apart_and_drops_their_padding) {
  const DType inner = compound_type({{"z", number_type(Kind::unsigned_integer, 1), 1}}, 2);
  const DType type = compound_type({{"b", number_type(Kind::unsigned_integer, 2, true), 4},
                                    {"a", number_type(Kind::unsigned_integer, 1), 0},
                                    {"c", array_type(inner, {2}), 6}},
                                   11);
  const Bytes stored = bytes_of({7, 0, 0, 0, 1, 2, 0, 3, 0, 4,  99,  //
                                 8, 0, 0, 0, 5, 6, 0, 9, 0, 10, 99});
  const Elements elements = unpack(type, ByteSpan(stored), 2);
  check_layout(type, elements, 2);
  BOOST_TEST(values_of<uint16_t>(elements.children[0]) == (std::vector<uint16_t>{0x0102, 0x0506}),
             boost::test_tools::per_element());
  BOOST_TEST(values_of<uint8_t>(elements.children[1]) == (std::vector<uint8_t>{7, 8}),
             boost::test_tools::per_element());
  BOOST_TEST(
      values_of<uint8_t>(elements.children[2].children[0].children[0]) == (std::vector<uint8_t>{3, 4, 9, 10}),
      boost::test_tools::per_element());
  Bytes packed(10);
  pack(type, elements, 0, 2, packed.data());
  BOOST_TEST((packed == bytes_of({2, 1, 7, 3, 4, 6, 5, 8, 9, 10})));
  pack(type, elements, 1, 1, packed.data());
  BOOST_TEST((packed == bytes_of({6, 5, 8, 9, 10, 6, 5, 8, 9, 10})));
}

BOOST_AUTO_TEST_CASE(pack_and_unpack_round_trip) {
  Random random(7);
  for (const DType& type : sample_types()) {
    if (!type.fixed_size()) continue;
    Elements all = random_elements(type, 20, random, false);
    for (Elements& child : all.children) child.missing.clear();
    Bytes packed(20 * type.packed_size());
    pack(type, all, 0, 20, packed.data());
    const Elements again = unpack(type, std::move(packed), 20);
    BOOST_TEST(all_shown(type, again) == all_shown(type, all), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(stored_bytes_of_wrong_length_are_damaged) {
  const DType number = number_type(Kind::integer, 4);
  const Bytes seven(7);
  BOOST_CHECK_EXCEPTION(unpack(number, ByteSpan(seven), 2), Error,
                        mentions("7 bytes for 2 elements of 4 bytes, expected 8"));
  BOOST_CHECK_EXCEPTION(unpack(number, ByteSpan(), ~uint64_t{0}), Error,
                        mentions("18446744073709551615 * 4 is over 64 bits"));
  BOOST_CHECK_EXCEPTION(unpack(text_type(), ByteSpan(), 0), Error, mentions("text has no fixed size"));
  const DType record = compound_type({{"a", number, 5}}, 7);
  BOOST_CHECK_EXCEPTION(unpack(record, ByteSpan(seven), 1), Error,
                        mentions("field 'a' of 4 bytes at byte 5 is outside its record of 7 bytes"));
  const DType far = compound_type({{"a", number, ~uint64_t{0}}}, 7);
  BOOST_CHECK_EXCEPTION(unpack(far, ByteSpan(seven), 1), Error,
                        mentions("field 'a' of 4 bytes at byte 18446744073709551615 is outside"));
  DType array = array_type(number, {2});
  array.size = 7;
  BOOST_CHECK_EXCEPTION(unpack(array, ByteSpan(seven), 1), Error,
                        mentions("2 items of 4 bytes, expected 7 bytes"));
}

BOOST_AUTO_TEST_CASE(check_layout_sees_every_misfit) {
  Elements text = zero_elements(text_type(), 3);
  text.offsets = {0, 2, 1, 0};
  BOOST_CHECK_EXCEPTION(check_layout(text_type(), text, 3), Error,
                        mentions("the offsets of 3 elements do not fit 0 values"));
  text.offsets = {0, 0, 0, 5};
  BOOST_CHECK_EXCEPTION(check_layout(text_type(), text, 3), Error,
                        mentions("the offsets of 3 elements do not fit 0 values"));
  BOOST_CHECK_EXCEPTION(check_layout(text_type(), Elements{}, 0), Error,
                        mentions("the offsets of 0 elements do not fit 0 values"));
  Elements marked = zero_elements(text_type(), 3);
  marked.missing.resize(2);
  BOOST_CHECK_EXCEPTION(check_layout(text_type(), marked, 3), Error,
                        mentions("2 marks of missing values for 3 elements"));
  const DType record = packed_compound_type({{"a", text_type(), 0}});
  BOOST_CHECK_EXCEPTION(check_layout(record, zero_elements(text_type(), 3), 3), Error,
                        mentions("0 parts of compound of 1, expected 1"));
}

BOOST_AUTO_TEST_CASE(padding_is_removed_from_packed_values) {
  const std::string_view stored("ab\0c \0\0", 7);
  BOOST_TEST(trim_padding(stored, Padding::null_terminated) == "ab");
  BOOST_TEST(trim_padding(stored, Padding::null_padded) == std::string_view("ab\0c ", 5));
  BOOST_TEST(trim_padding("ab c  ", Padding::space_padded) == "ab c");
  BOOST_TEST(trim_padding("   ", Padding::space_padded) == "");
  BOOST_TEST(trim_padding("", Padding::null_padded) == "");
  BOOST_TEST(trim_padding("full", Padding::null_terminated) == "full");
}

BOOST_AUTO_TEST_CASE(text_builder_keeps_values_and_missing_marks) {
  TextBuilder builder(~uint64_t{0});  // a count from a file is only a hint
  builder.add("one");
  builder.add_missing();
  builder.add("");
  builder.add(std::string_view("\0x", 2));
  const Elements elements = builder.finish();
  check_layout(text_type(), elements, 4);
  BOOST_TEST(elements.text(0) == "one");
  BOOST_TEST(elements.text(3) == std::string_view("\0x", 2));
  BOOST_TEST(!elements.is_missing(0));
  BOOST_TEST(elements.is_missing(1));
  BOOST_TEST(!elements.is_missing(2));
  check_layout(text_type(), TextBuilder().finish(), 0);
}

BOOST_AUTO_TEST_CASE(allocated_bytes_counts_children) {
  const DType type = packed_compound_type({{"a", number_type(Kind::integer, 8), 0}, {"b", text_type(), 0}});
  BOOST_TEST(zero_elements(type, 1000).allocated_bytes() >= 16000u);
}

BOOST_AUTO_TEST_SUITE_END()
