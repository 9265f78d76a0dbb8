#include "formats/containers/parquet/encodings.h"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>

#include "formats/core/base/encode.h"
#include "formats/core/codecs/blocks.h"
#include "tests/support/mentions.h"

namespace plainfs::parquet {
namespace {

using namespace std::string_view_literals;

constexpr uint64_t kEncodingLimit = 1 << 20;

std::string varint(uint64_t value) {
  std::string out;
  append_leb128(out, value);
  return out;
}

std::string zigzag(int64_t value) {
  return varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

// Packs values of a width, the lowest bit first.
std::string packed(const std::vector<uint64_t>& values, unsigned width) {
  std::string out((values.size() * width + 7) / 8, '\0');
  for (size_t i = 0; i < values.size(); ++i)
    for (unsigned b = 0; b < width; ++b)
      if ((values[i] >> b & 1) != 0) {
        const size_t bit = i * width + b;
        out[bit / 8] = static_cast<char>(out[bit / 8] | 1 << bit % 8);
      }
  return out;
}

std::vector<uint32_t> hybrid(std::string_view bytes, unsigned width, size_t count) {
  std::vector<uint32_t> out(count);
  decode_hybrid(as_byte_span(bytes), width, out);
  return out;
}

template <class T>
std::vector<T> numbers_of(const Elements& elements) {
  const auto values = elements.values<T>();
  return {values.begin(), values.end()};
}

std::vector<std::string> decoded_texts(const Elements& elements) {
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < elements.count; ++i) texts.emplace_back(elements.text(i));
  return texts;
}

Elements decoded(std::string_view bytes, Encoding encoding, Physical physical, uint64_t count,
                 uint32_t length = 0) {
  return decode_values(as_byte_span(bytes), static_cast<int>(encoding), value_type(physical, length), count,
                       kEncodingLimit);
}

// Encodes numbers as DELTA_BINARY_PACKED in blocks of 128 values with 4 parts.
template <class T>
std::string delta(const std::vector<T>& values) {
  using Bits = std::make_unsigned_t<T>;
  std::string out = varint(128) + varint(4) + varint(values.size()) + zigzag(values.empty() ? 0 : values[0]);
  for (size_t done = 1; done < values.size(); done += 128) {
    const size_t some = std::min<size_t>(128, values.size() - done);
    std::vector<T> differences;
    for (size_t i = done; i < done + some; ++i)
      differences.push_back(static_cast<T>(static_cast<Bits>(values[i]) - static_cast<Bits>(values[i - 1])));
    const T least = *std::min_element(differences.begin(), differences.end());
    std::string widths, parts;
    for (size_t part = 0; part < 4; ++part) {
      std::vector<uint64_t> rest(32);
      unsigned width = 0;
      for (size_t i = 0; i < 32 && part * 32 + i < some; ++i) {
        rest[i] = static_cast<Bits>(static_cast<Bits>(differences[part * 32 + i]) - static_cast<Bits>(least));
        width = std::max(width, bits_of(rest[i]));
      }
      const bool is_used = part * 32 < some;
      widths += static_cast<char>(is_used ? width : 77);
      if (is_used) parts += packed(rest, width);
    }
    out += zigzag(least) + widths + parts;
  }
  return out;
}

BOOST_AUTO_TEST_SUITE(parquet_encodings)

BOOST_AUTO_TEST_CASE(hybrid_of_the_specification) {
  BOOST_TEST(hybrid("\x03\x88\xc6\xfa", 3, 8) == (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}),
             boost::test_tools::per_element());
  BOOST_TEST(hybrid("\x0a\x2c\x01", 9, 5) == std::vector<uint32_t>(5, 300), boost::test_tools::per_element());
  BOOST_TEST(hybrid("\x06\x01\x03\x05trailing"sv, 1, 5) == (std::vector<uint32_t>{1, 1, 1, 1, 0}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(packed_values_of_every_width) {
  std::mt19937_64 random(7);
  for (unsigned width = 0; width <= 64; ++width) {
    for (const size_t count : {1U, 7U, 8U, 63U, 200U}) {
      std::vector<uint64_t> values(count), out(count);
      for (uint64_t& value : values) value = width == 0 ? 0 : random() >> (64 - width);
      const std::string bytes = packed(values, width);
      unpack_bits(as_byte_span(bytes), width, out);
      BOOST_TEST(out == values, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(faulty_hybrid_is_damaged) {
  BOOST_CHECK_EXCEPTION(hybrid("\x00"sv, 1, 1), Error, mentions("an empty run"));
  BOOST_CHECK_EXCEPTION(hybrid("\x01"sv, 1, 1), Error, mentions("an empty run"));
  BOOST_CHECK_EXCEPTION(hybrid("\x02\x02", 1, 1), Error, mentions("value 2 in 1 bits"));
  BOOST_CHECK_EXCEPTION(hybrid("\x03", 8, 8), Error, mentions("0 packed values, expected 8"));
  BOOST_CHECK_EXCEPTION(hybrid("\x03\x01", 33, 1), Error, mentions("33 bits"));
  BOOST_CHECK_EXCEPTION(hybrid("", 1, 1), Error, mentions("0 bytes left"));
  std::vector<uint8_t> levels(2);
  BOOST_CHECK_EXCEPTION(decode_levels(as_byte_span("\x04\x03"), 2, levels), Error, mentions("level of 3"));
}

BOOST_AUTO_TEST_CASE(packed_levels_have_the_highest_bit_first) {
  std::vector<uint8_t> levels(5);
  BOOST_TEST(decode_packed_levels(as_byte_span("\xa8"sv), 1, levels) == 1U);
  BOOST_TEST(levels == (std::vector<uint8_t>{1, 0, 1, 0, 1}), boost::test_tools::per_element());
  BOOST_TEST(decode_packed_levels(as_byte_span("\x1b\x40"sv), 3, levels) == 2U);
  BOOST_TEST(levels == (std::vector<uint8_t>{0, 1, 2, 3, 1}), boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(decode_packed_levels({}, 1, levels), Error, mentions("0 bytes for 5 levels"));
}

BOOST_AUTO_TEST_CASE(plain_values_are_as_stored) {
  BOOST_TEST(numbers_of<int32_t>(decoded("\1\0\0\0\xff\xff\xff\xff"sv, Encoding::plain, Physical::int32,
                                         2)) == (std::vector<int32_t>{1, -1}),
             boost::test_tools::per_element());
  BOOST_TEST(numbers_of<uint8_t>(decoded("\x05", Encoding::plain, Physical::boolean, 3)) ==
                 (std::vector<uint8_t>{1, 0, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(decoded_texts(decoded("\2\0\0\0ab\0\0\0\0\1\0\0\0c"sv, Encoding::plain, Physical::bytes, 3)) ==
                 (std::vector<std::string>{"ab", "", "c"}),
             boost::test_tools::per_element());
  BOOST_TEST(as_text(decoded("abcdef", Encoding::plain, Physical::fixed, 2, 3).bytes) == "abcdef");
}

BOOST_AUTO_TEST_CASE(cut_plain_values_are_damaged) {
  BOOST_CHECK_EXCEPTION(decoded("123", Encoding::plain, Physical::int32, 1), Error,
                        mentions("3 bytes for 1 values"));
  BOOST_CHECK_EXCEPTION(decoded("1", Encoding::plain, Physical::boolean, 9), Error,
                        mentions("9 truth values"));
  BOOST_CHECK_EXCEPTION(decoded("\5\0\0\0ab"sv, Encoding::plain, Physical::bytes, 1), Error,
                        mentions("text 0 has 5"));
  BOOST_CHECK_EXCEPTION(decoded("\0\0\0\0"sv, Encoding::plain, Physical::bytes, 2), Error,
                        mentions("for 2 texts"));
  BOOST_CHECK_EXCEPTION(decoded("", Encoding::plain, Physical::int64, UINT64_MAX / 2), Error,
                        mentions("the limit is 1048576"));
}

BOOST_AUTO_TEST_CASE(differences_wrap_around) {
  std::vector<int32_t> small{INT32_MIN, INT32_MAX, -5, 0, INT32_MIN};
  for (int i = 0; i < 300; ++i) small.push_back(i * i * 7919 - 40000);
  BOOST_TEST(numbers_of<int32_t>(decoded(delta(small), Encoding::delta_binary_packed, Physical::int32,
                                         small.size())) == small,
             boost::test_tools::per_element());
  const std::vector<int64_t> large{INT64_MAX, INT64_MIN, 0, 1, INT64_MIN, INT64_MAX};
  BOOST_TEST(numbers_of<int64_t>(decoded(delta(large), Encoding::delta_binary_packed, Physical::int64,
                                         large.size())) == large,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(differences_of_33_bits_are_cut_to_the_type) {
  // 32-bit numbers with differences of more than 32 bits, as DuckDB writes them.
  std::string bytes = varint(128) + varint(4) + varint(3) + zigzag(INT32_MIN) + zigzag(-4294967295);
  bytes += std::string("\x21\0\0\0", 4) + packed(
                                              [] {
                                                std::vector<uint64_t> rest(32);
                                                rest[0] =
                                                    4294967295U + 4294967295U;  // INT32_MIN to INT32_MAX
                                                return rest;
                                              }(),
                                              33);
  const std::vector<int32_t> expected{INT32_MIN, INT32_MAX, INT32_MIN};
  BOOST_TEST(
      numbers_of<int32_t>(decoded(bytes, Encoding::delta_binary_packed, Physical::int32, 3)) == expected,
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(faulty_differences_are_damaged) {
  const auto fault = [](const std::string& bytes, const char* words) {
    BOOST_CHECK_EXCEPTION(decoded(bytes, Encoding::delta_binary_packed, Physical::int32, 3), Error,
                          mentions(words));
  };
  fault(varint(0) + varint(4) + varint(3) + zigzag(1), "blocks of 0");
  fault(varint(128) + varint(0) + varint(3) + zigzag(1), "in 0 parts");
  fault(varint(128) + varint(8) + varint(3) + zigzag(1), "in 8 parts");
  fault(varint(128) + varint(4) + varint(2) + zigzag(1), "2 numbers, expected 3");
  fault(varint(uint64_t{1} << 40) + varint(4) + varint(3) + zigzag(1), "blocks of 1099511627776");
  fault(varint(128) + varint(4) + varint(3) + zigzag(1) + zigzag(0) + std::string("\x41\0\0\0", 4),
        "65 bits");
  fault(varint(128) + varint(4) + varint(3) + zigzag(1) + zigzag(0) + std::string("\x08\0\0\0", 4),
        "differences of 8 bits");
}

BOOST_AUTO_TEST_CASE(texts_share_the_beginning_of_the_one_before) {
  const std::string lengths = delta<int32_t>({0, 3, 1, 0}) + delta<int32_t>({4, 1, 0, 2}) + "abcdXok";
  BOOST_TEST(decoded_texts(decoded(lengths, Encoding::delta_byte_array, Physical::bytes, 4)) ==
                 (std::vector<std::string>{"abcd", "abcX", "a", "ok"}),
             boost::test_tools::per_element());
  BOOST_TEST(decoded_texts(decoded(delta<int32_t>({2, 0, 1}) + "abc", Encoding::delta_length_byte_array,
                                   Physical::bytes, 3)) == (std::vector<std::string>{"ab", "", "c"}),
             boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(decoded(delta<int32_t>({1}) + delta<int32_t>({1}) + "a", Encoding::delta_byte_array,
                                Physical::bytes, 1),
                        Error, mentions("shares 1 bytes with one of 0"));
  BOOST_CHECK_EXCEPTION(decoded(delta<int32_t>({-1}), Encoding::delta_length_byte_array, Physical::bytes, 1),
                        Error, mentions("length of -1"));
  BOOST_CHECK_EXCEPTION(decoded(delta<int32_t>({0}) + delta<int32_t>({2}) + "ab", Encoding::delta_byte_array,
                                Physical::fixed, 1, 3),
                        Error, mentions("2 bytes, expected 3"));
}

BOOST_AUTO_TEST_CASE(repeated_prefixes_are_bounded) {
  // 1,000 texts, each with the one before in front: half a million bytes from a few thousand.
  std::vector<int32_t> prefixes, suffixes(3000, 1);
  for (int i = 0; i < 3000; ++i) prefixes.push_back(i);
  const std::string bytes = delta(prefixes) + delta(suffixes) + std::string(3000, 'x');
  BOOST_CHECK_EXCEPTION(decoded(bytes, Encoding::delta_byte_array, Physical::bytes, 3000), Error,
                        mentions("the limit is 1048576"));
}

BOOST_AUTO_TEST_CASE(streams_of_bytes_are_joined) {
  BOOST_TEST(as_text(decoded("adbecf", Encoding::byte_stream_split, Physical::fixed, 2, 3).bytes) ==
             "abcdef");
  BOOST_TEST(numbers_of<int32_t>(decoded("\1\2\0\0\0\0\0\0"sv, Encoding::byte_stream_split, Physical::int32,
                                         2)) == (std::vector<int32_t>{1, 2}),
             boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(decoded("abc", Encoding::byte_stream_split, Physical::int32, 1), Error,
                        mentions("3 bytes"));
  BOOST_CHECK_EXCEPTION(decoded("abc", Encoding::byte_stream_split, Physical::bytes, 1), Error,
                        mentions("encoding 9"));
}

BOOST_AUTO_TEST_CASE(indices_select_from_the_dictionary) {
  const Elements texts = decoded("\1\0\0\0a\2\0\0\0bb"sv, Encoding::plain, Physical::bytes, 2);
  const std::vector<uint32_t> indices = decode_indices(as_byte_span("\x01\x03\x05"), 3, 2);
  BOOST_TEST(
      decoded_texts(gather(texts, 0, indices, kEncodingLimit)) == (std::vector<std::string>{"bb", "a", "bb"}),
      boost::test_tools::per_element());
  BOOST_TEST(decode_indices({}, 0, 0).empty());
  BOOST_TEST(decode_indices(as_byte_span("\0\x06"sv), 3, 1) == std::vector<uint32_t>(3, 0),
             boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(decode_indices(as_byte_span("\x01\x03\x05"), 3, 1), Error,
                        mentions("index 1 of a dictionary of 1"));
  BOOST_CHECK_EXCEPTION(decode_indices(as_byte_span("\x21\x03\x05"), 3, 1), Error, mentions("33 bits"));
  const std::vector<uint32_t> many(1000, 1);
  BOOST_CHECK_EXCEPTION(gather(texts, 0, many, 100), Error, mentions("needs 2000 bytes"));
}

BOOST_AUTO_TEST_CASE(encodings_fit_their_types) {
  BOOST_TEST(numbers_of<uint8_t>(decoded("\2\0\0\0\x03\x05"sv, Encoding::rle, Physical::boolean, 3)) ==
                 (std::vector<uint8_t>{1, 0, 1}),
             boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(decoded("", Encoding::rle, Physical::int32, 0), Error, mentions("encoding 3"));
  BOOST_CHECK_EXCEPTION(decoded("", Encoding::rle_dictionary, Physical::int32, 0), Error,
                        mentions("without a dictionary"));
  BOOST_CHECK_EXCEPTION(decoded("", static_cast<Encoding>(10), Physical::real64, 0), Error,
                        mentions("encoding 10"));
}

std::string unsnapped(std::string_view packed, size_t size) {
  std::string out(size, '\0');
  decode_snappy_block(as_byte_span(packed), std::as_writable_bytes(std::span(out)));
  return out;
}

BOOST_AUTO_TEST_CASE(snappy_literals_and_copies) {
  BOOST_TEST(unsnapped("\x05\x10hello", 5) == "hello");
  BOOST_TEST(unsnapped("\x0a\x04"
                       "ab"
                       "\x11\x02",
                       10) == "ababababab");  // 8 bytes from 2 before
  BOOST_TEST(unsnapped("\x0c\x08"
                       "abc"
                       "\x22\x03\x00"sv,
                       12) == "abcabcabcabc");  // 9 from 3, two bytes of offset
  BOOST_TEST(unsnapped("\x06\x08"
                       "abc"
                       "\x0b\x03\x00\x00\x00"sv,
                       6) == "abcabc");  // four bytes of offset
  const std::string text(100, 'y');
  BOOST_TEST(unsnapped("\x64\xf0\x63" + text, 100) == text);  // a length of its own
  BOOST_TEST(unsnapped(std::string_view("\0", 1), 0).empty());
}

BOOST_AUTO_TEST_CASE(faulty_snappy_is_damaged) {
  BOOST_CHECK_EXCEPTION(unsnapped("\x05\x10hello", 6), Error, mentions("decodes to 5 bytes, expected 6"));
  BOOST_CHECK_EXCEPTION(unsnapped("\x06\x10hello", 6), Error, mentions("after 5 of 6 bytes"));
  BOOST_CHECK_EXCEPTION(unsnapped("\x04\x10hello", 4), Error, mentions("more data"));
  BOOST_CHECK_EXCEPTION(unsnapped("\x05\x10hel", 5), Error, mentions("3 bytes left"));
  BOOST_CHECK_EXCEPTION(unsnapped("\x05\x00"
                                  "a"
                                  "\x01\x02"sv,
                                  5),
                        Error, mentions("2 bytes before byte 1"));
  BOOST_CHECK_EXCEPTION(unsnapped("\x05\x00"
                                  "a"
                                  "\x01\x00"sv,
                                  5),
                        Error, mentions("0 bytes before byte 1"));
  BOOST_CHECK_EXCEPTION(unsnapped("\xff\xff\xff\xff\xff\xff", 5), Error, mentions("more than 5 bytes"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::parquet
