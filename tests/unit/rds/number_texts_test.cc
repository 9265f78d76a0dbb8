#include "formats/containers/rds/number_texts.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

namespace {

using plainfs::rds::character_of;

// Requires: the text is known.
std::string text_of(double number, int scipen = 0) {
  return character_of(number, scipen).value();
}

BOOST_AUTO_TEST_SUITE(number_texts)

// Results of as.character() of R 4.2.2.
BOOST_AUTO_TEST_CASE(numbers_of_15_digits_have_the_text_of_r) {
  BOOST_TEST(text_of(45.5) == "45.5");
  BOOST_TEST(text_of(60) == "60");
  BOOST_TEST(text_of(0.1) == "0.1");
  BOOST_TEST(text_of(-2.5) == "-2.5");
  BOOST_TEST(text_of(100000) == "1e+05");
  BOOST_TEST(text_of(-100000) == "-1e+05");
  BOOST_TEST(text_of(123456) == "123456");
  BOOST_TEST(text_of(0.0001) == "1e-04");
  BOOST_TEST(text_of(0.00012) == "0.00012");
  BOOST_TEST(text_of(123456789012345) == "123456789012345");
  BOOST_TEST(text_of(1e15) == "1e+15");
  BOOST_TEST(text_of(1.5e300) == "1.5e+300");
  BOOST_TEST(text_of(5e-324) == "4.94065645841247e-324");
  BOOST_TEST(text_of(0) == "0");
  BOOST_TEST(text_of(-0.0) == "0");
}

BOOST_AUTO_TEST_CASE(non_numbers_have_a_word) {
  BOOST_TEST(text_of(std::numeric_limits<double>::quiet_NaN()) == "NaN");
  BOOST_TEST(text_of(INFINITY) == "Inf");
  BOOST_TEST(text_of(-INFINITY) == "-Inf");
}

BOOST_AUTO_TEST_CASE(scipen_moves_the_choice_of_notation) {
  BOOST_TEST(text_of(100000, 1) == "100000");
  BOOST_TEST(text_of(0.0001, 5) == "0.0001");
  BOOST_TEST(text_of(12, -6) == "1.2e+01");
}

BOOST_AUTO_TEST_CASE(numbers_with_more_digits_have_no_known_text) {
  BOOST_TEST(!character_of(1.0 / 3));
  BOOST_TEST(!character_of(0.1 + 0.2));
  BOOST_TEST(!character_of(1234567890123456));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
