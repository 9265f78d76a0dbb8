#include "formats/core/text/percent.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs;

BOOST_AUTO_TEST_SUITE(percent)

BOOST_AUTO_TEST_CASE(keys_are_encoded_for_s3) {
  BOOST_TEST(percent_encoded("a/b c+d~e*é:(1)", true) == "a/b%20c%2Bd~e%2A%C3%A9%3A%281%29");
  BOOST_TEST(percent_encoded("a/b", false) == "a%2Fb");
  BOOST_TEST(percent_decoded("a%2Fb%20c%C3%A9%zz%4") == "a/b cé%zz%4");
}

BOOST_AUTO_TEST_CASE(invalid_percent_code_is_detected) {
  for (const char* const good : {"", "a", "%41", "%c3%A9x"}) BOOST_TEST(is_percent_encoded(good), good);
  for (const char* const bad : {"%", "a%4", "%zz", "%4g", "%41%"}) BOOST_TEST(!is_percent_encoded(bad), bad);
}

BOOST_AUTO_TEST_SUITE_END()
