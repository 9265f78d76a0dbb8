#include "formats/core/model/elements/dtype.h"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/support/mentions.h"

using namespace plainfs;

namespace {

// Returns the value of binary16 bits by definition.
double defined_value(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dtype)

BOOST_AUTO_TEST_CASE(every_half_converts_exactly_and_back) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    const float value = to_float(half);
    if ((bits & 0x7c00) == 0x7c00) {
      const bool nan = (bits & 0x3ff) != 0;
      BOOST_TEST_REQUIRE((nan ? std::isnan(value) : std::isinf(value)));
      BOOST_TEST_REQUIRE(std::signbit(value) == (bits >= 0x8000));
      BOOST_TEST_REQUIRE((nan ? std::isnan(to_float(to_half(value))) : to_half(value).bits == bits));
    } else {
      BOOST_TEST_REQUIRE(static_cast<double>(value) == defined_value(half.bits));
      BOOST_TEST_REQUIRE(to_half(value).bits == bits);
    }
  }
}

BOOST_AUTO_TEST_CASE(float_between_two_halves_rounds_to_the_nearer_ties_to_even) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const float low = to_float({static_cast<uint16_t>(bits)});
    const float high = to_float({static_cast<uint16_t>(bits + 1)});
    const float middle = (low + high) / 2;  // exact in float
    BOOST_TEST_REQUIRE(to_half(middle).bits == (bits % 2 == 0 ? bits : bits + 1));
    BOOST_TEST_REQUIRE(to_half(std::nextafter(middle, 0.0f)).bits == bits);
    BOOST_TEST_REQUIRE(to_half(std::nextafter(middle, high)).bits == bits + 1);
    BOOST_TEST_REQUIRE(to_half(-middle).bits == (0x8000u | (bits % 2 == 0 ? bits : bits + 1)));
  }
  BOOST_TEST(to_half(65519.996f).bits == 0x7bffu);
  BOOST_TEST(to_half(65520.0f).bits == 0x7c00u);
  BOOST_TEST(to_half(1e30f).bits == 0x7c00u);
}

BOOST_AUTO_TEST_CASE(only_types_without_variable_parts_have_a_fixed_size) {
  const DType number = number_type(Kind::real, 8);
  BOOST_TEST(number.fixed_size());
  BOOST_TEST(number_type(Kind::fixed_text, 10).fixed_size());
  BOOST_TEST(!text_type().fixed_size());
  BOOST_TEST(!number_type(Kind::reference, 8).fixed_size());
  BOOST_TEST(!sequence_type(number).fixed_size());
  BOOST_TEST(array_type(number, {2, 3}).fixed_size());
  BOOST_TEST(!array_type(text_type(), {2}).fixed_size());
  BOOST_TEST(packed_compound_type({{"a", number, 0}}).fixed_size());
  BOOST_TEST(!packed_compound_type({{"a", number, 0}, {"b", text_type(), 0}}).fixed_size());
}

BOOST_AUTO_TEST_CASE(packed_size_leaves_out_the_padding_of_a_record) {
  const DType inner = compound_type({{"c", number_type(Kind::integer, 1), 3}}, 4);
  const DType type =
      compound_type({{"a", number_type(Kind::integer, 1), 0}, {"b", array_type(inner, {5}), 8}}, 32);
  BOOST_TEST(type.packed_size() == 6u);
  BOOST_TEST(type.size == 32u);
}

BOOST_AUTO_TEST_CASE(packed_compound_places_its_fields) {
  const DType type = packed_compound_type({{"a", number_type(Kind::integer, 1), 99},
                                           {"b", number_type(Kind::real, 8), 99},
                                           {"c", number_type(Kind::integer, 2), 99}});
  BOOST_TEST(type.fields[1].offset == 1u);
  BOOST_TEST(type.fields[2].offset == 9u);
  BOOST_TEST(type.size == 11u);
}

BOOST_AUTO_TEST_CASE(element_over_32_bits_is_damaged) {
  const DType wide = number_type(Kind::opaque, 1u << 31);
  BOOST_CHECK_EXCEPTION(array_type(wide, {2}), Error,
                        mentions("an element of 4294967296 bytes is too large"));
  BOOST_CHECK_EXCEPTION(array_type(wide, {~uint64_t{0}, 3}), Error,
                        mentions("18446744073709551615 * 3 is over 64 bits"));
  BOOST_CHECK_EXCEPTION(packed_compound_type({{"a", wide, 0}, {"b", wide, 0}}), Error,
                        mentions("an element of 4294967296 bytes is too large"));
}

BOOST_AUTO_TEST_CASE(names_follow_numpy_if_it_has_one) {
  BOOST_TEST(number_type(Kind::integer, 4).name() == "int32");
  BOOST_TEST(number_type(Kind::unsigned_integer, 1).name() == "uint8");
  BOOST_TEST(number_type(Kind::real, 2).name() == "float16");
  BOOST_TEST(number_type(Kind::complex, 16).name() == "complex128");
  DType time = number_type(Kind::time_point, 8);
  time.time_unit = TimeUnit::nano;
  BOOST_TEST(time.name() == "datetime64[ns]");
  time.kind = Kind::time_span;
  time.time_unit = TimeUnit::atto;
  time.time_count = 10;
  BOOST_TEST(time.name() == "timedelta64[10as]");
  BOOST_TEST(array_type(text_type(), {2, 3}).name() == "array (2, 3) of text");
  BOOST_TEST(packed_compound_type({{"a", text_type(), 0}}).name() == "compound of 1");
}

BOOST_AUTO_TEST_CASE(types_are_equal_if_all_parts_are) {
  const DType a = packed_compound_type({{"a", array_type(number_type(Kind::integer, 4), {2}), 0}});
  DType b = a;
  BOOST_TEST((a == b));
  b.fields[0].name = "b";
  BOOST_TEST(!(a == b));
  b = packed_compound_type({{"a", array_type(number_type(Kind::integer, 4, true), {2}), 0}});
  BOOST_TEST(!(a == b));
  BOOST_TEST(!(sequence_type(text_type()) == sequence_type(number_type(Kind::integer, 4))));
}

BOOST_AUTO_TEST_CASE(visit_number_gives_the_type_that_stores_the_value) {
  const auto size = [](const DType& type) {
    return visit_number(type, [](auto zero) { return sizeof zero; });
  };
  BOOST_TEST(size(number_type(Kind::boolean, 1)) == 1u);
  BOOST_TEST(size(number_type(Kind::time_span, 8)) == 8u);
  DType logical = number_type(Kind::logical, 2);
  logical.base = Kind::unsigned_integer;
  BOOST_TEST(visit_number(logical, [](auto zero) { return std::is_same_v<decltype(zero), uint16_t>; }));
  BOOST_CHECK_EXCEPTION(size(text_type()), Error, mentions("text is not a number type"));
  BOOST_CHECK_EXCEPTION(size(number_type(Kind::integer, 3)), Error, mentions("int24 is not a number type"));
  BOOST_CHECK_EXCEPTION(size(number_type(Kind::complex, 8)), Error,
                        mentions("complex64 is not a number type"));
}

BOOST_AUTO_TEST_SUITE_END()
