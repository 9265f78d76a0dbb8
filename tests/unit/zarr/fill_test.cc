// Fill values that the golden stores do not cover, and those of the wrong type.
#include "formats/containers/zarr/fill.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>

#include "formats/core/model/elements/numpy_dtype.h"

#include "tests/support/mentions.h"

namespace {

using namespace plainfs;
using namespace plainfs::zarr;

Elements v2(const char* json, const char* dtype) {
  return v2_fill(parse_json(json), parse_numpy_dtype(dtype));
}
Elements v3(const char* json, const char* dtype) {
  return v3_fill(parse_json(json), parse_numpy_dtype(dtype));
}

template <class T>
T only(const Elements& elements) {
  BOOST_REQUIRE(elements.count == 1u);
  BOOST_REQUIRE(elements.values<T>().size() == 1u);
  return elements.values<T>()[0];
}

BOOST_AUTO_TEST_SUITE(fill)

BOOST_AUTO_TEST_CASE(integers_are_exact_over_all_of_their_range) {
  BOOST_TEST(only<uint64_t>(v2("18446744073709551615", "<u8")) == 18446744073709551615U);
  BOOST_TEST(only<int64_t>(v2("-9223372036854775808", ">i8")) == INT64_MIN);
  BOOST_TEST(only<int16_t>(v2("3.0", "<i2")) == 3);
  for (const char* wrong :
       {"300", "-1", "1.5", "\"abc\"", "[1,2]", "\"\"", "\"300\"", "true", "1e400", "NaN"}) {
    BOOST_CHECK_EXCEPTION(v2(wrong, "|u1"), Error, mentions("fill value"));
    BOOST_CHECK_EXCEPTION(v3(wrong, "|u1"), Error, mentions("fill value"));
  }
}

BOOST_AUTO_TEST_CASE(bits_of_reals_are_kept) {
  BOOST_TEST(only<uint32_t>(v3("\"0x7fc00001\"", "<f4")) == 0x7fc00001U);
  BOOST_TEST(only<uint64_t>(v3("\"0xfff8000000000123\"", "<f8")) == 0xfff8000000000123U);
  BOOST_TEST(only<uint16_t>(v3("\"0x7e01\"", "<f2")) == 0x7e01U);
  BOOST_TEST(only<uint64_t>(v3("\"NaN\"", "<f8")) == 0x7ff8000000000000U);
  BOOST_TEST(std::isinf(only<float>(v2("-Infinity", "<f4"))));
  BOOST_CHECK_EXCEPTION(v3("\"0x7fc0\"", "<f4"), Error, mentions("is not a valid float"));
  BOOST_CHECK_EXCEPTION(v3("\"none\"", "<f4"), Error, mentions("is not a valid float"));
}

BOOST_AUTO_TEST_CASE(quoted_or_listed_number_is_that_number) {
  BOOST_TEST(only<int32_t>(v2("\"7\"", "<i4")) == 7);
  BOOST_TEST(only<int32_t>(v2("[\"-7.0\"]", "<i4")) == -7);
  BOOST_TEST(only<uint64_t>(v2("\"18446744073709551615\"", "<u8")) == 18446744073709551615U);
  BOOST_TEST(only<float>(v2("[0.5]", "<f4")) == 0.5F);
  BOOST_TEST(only<double>(v2("\" +2.5e1\"", "<f8")) == 25);
  BOOST_TEST(only<double>(v3("\"1.\"", "<f8")) == 1);
  BOOST_TEST(std::isnan(only<float>(v2("\"nan\"", "<f4"))));
  BOOST_TEST(std::isinf(only<float>(v2("[\"-inf\"]", "<f4"))));
  BOOST_TEST(only<uint8_t>(v2("\"true\"", "|b1")) == 1);
  BOOST_TEST(only<uint8_t>(v2("[\"False\"]", "|b1")) == 0);
  BOOST_TEST(only<int64_t>(v2("\"12\"", "<M8[s]")) == 12);
  const Elements complex = v2("[\"1\", 2]", "<c16");
  BOOST_TEST(complex.values<double>()[1] == 2);
}

BOOST_AUTO_TEST_CASE(non_base64_text_is_the_text_itself) {
  BOOST_TEST(as_text(v2("\"!\"", "|S3").bytes) == std::string_view("!\0\0", 3));
  BOOST_TEST(as_text(v2("[\" \"]", "|S1").bytes) == " ");
  BOOST_TEST(as_text(v2("\"\\u0000\"", "|S1").bytes) == std::string_view("\0", 1));
  BOOST_TEST(v2("[\"x\"]", "<U2").values<uint32_t>()[0] == uint32_t{'x'});
  BOOST_CHECK_EXCEPTION(v2("\"!!!!\"", "|S3"), Error, mentions("base64"));
  BOOST_CHECK_EXCEPTION(v2("\"!\"", "|V3"), Error, mentions("characters"));
}

BOOST_AUTO_TEST_CASE(float16_is_rounded_once) {
  // just above the midpoint of 1 and the next float16; as a float32 it is that midpoint
  BOOST_TEST(only<uint16_t>(v2("1.00048828125000001", "<f2")) == 0x3c00U);
  BOOST_TEST(only<uint16_t>(v2("1.000488281250001", "<f2")) == 0x3c01U);
  BOOST_TEST(only<uint16_t>(v2("1.000488281249999", "<f2")) == 0x3c00U);
}

BOOST_AUTO_TEST_CASE(null_is_zero_and_missing_for_objects) {
  BOOST_TEST(only<double>(v2("null", "<f8")) == 0);
  BOOST_TEST(v2("null", "|O").is_missing(0));
  BOOST_TEST(v2_fill(nullptr, text_type()).text(0) == "");
}

BOOST_AUTO_TEST_CASE(object_arrays_take_any_value) {
  BOOST_TEST(v2_fill(parse_json("0"), text_type()).text(0) == "0");
  BOOST_TEST(v2_fill(parse_json("\"x\""), text_type()).text(0) == "x");
  BOOST_TEST(v2("{\"a\": [1, null]}", "|O").text(0) == "{\"a\":[1,null]}");
  BOOST_CHECK_EXCEPTION(v3_fill(parse_json("0"), text_type()), Error, mentions("fill value"));
}

BOOST_AUTO_TEST_CASE(bytes_are_base64_padded_to_their_size) {
  BOOST_TEST(as_text(v2("\"YWI=\"", "|S3").bytes) == std::string_view("ab\0", 3));
  BOOST_TEST(as_text(v3("[1,2]", "|V3").bytes) == std::string_view("\1\2\0", 3));
  BOOST_CHECK_EXCEPTION(v2("\"YWJjZA==\"", "|S3"), Error, mentions("is not a valid text of"));
  BOOST_CHECK_EXCEPTION(v3("[256]", "|V3"), Error, mentions("fill value"));
}

BOOST_AUTO_TEST_CASE(text_becomes_utf32_units) {
  const Elements elements = v2("\"\u00e9\U0001f600\"", ">U3");
  BOOST_TEST(elements.values<uint32_t>()[0] == 0xe9U);
  BOOST_TEST(elements.values<uint32_t>()[1] == 0x1f600U);
  BOOST_TEST(elements.values<uint32_t>()[2] == 0U);
  BOOST_CHECK_EXCEPTION(v2("\"abcd\"", "<U3"), Error, mentions("is not a valid text of"));
}

BOOST_AUTO_TEST_CASE(records_with_objects_take_the_pickled_zero_only) {
  const DType record =
      packed_compound_type({{"n", parse_numpy_dtype("<i4"), 0}, {"o", parse_numpy_dtype("|O"), 0}});
  for (const char* zero : {"\"gAVLAC4=\"", "\"gAJLAC4=\"", "\"SwAu\""}) {
    const Elements elements = v2_fill(parse_json(zero), record);
    BOOST_TEST(elements.children.at(0).values<int32_t>()[0] == 0);
    BOOST_TEST(elements.children.at(1).text(0) == "0");
  }
  BOOST_CHECK_EXCEPTION(v2_fill(parse_json("\"Y29zCnN5c3RlbQo=\""), record), Error,
                        mentions("is not a valid compound of"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
