#include "formats/core/text/parsed_number.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>

using namespace plainfs;

BOOST_AUTO_TEST_SUITE(parsed_numbers)

BOOST_AUTO_TEST_CASE(whole_text_is_the_number) {
  BOOST_TEST(parsed_number<uint64_t>("12").value() == 12u);
  BOOST_TEST(parsed_number<int32_t>("-2147483648").value() == INT32_MIN);
  BOOST_TEST(parsed_number<uint32_t>("ff", 16).value() == 255u);
  BOOST_TEST(parsed_number<double>("1.5e3").value() == 1500);
}

BOOST_AUTO_TEST_CASE(other_texts_have_no_number) {
  for (const char* const text : {"", " 1", "1 ", "1a", "+1", "-1", "18446744073709551616"})
    BOOST_TEST(!parsed_number<uint64_t>(text), text);
  BOOST_TEST(!parsed_number<uint8_t>("256"));
  BOOST_TEST(!parsed_number<double>("1e999"));
}

BOOST_AUTO_TEST_SUITE_END()
