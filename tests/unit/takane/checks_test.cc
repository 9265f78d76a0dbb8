#include "formats/schemas/takane/checks.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs;
using namespace plainfs::takane;

BOOST_AUTO_TEST_SUITE(takane_checks)

BOOST_AUTO_TEST_CASE(dates_are_four_two_and_two_digits) {
  for (const char* text : {"2024-02-29", "2024-02-31", "0000-00-00", "9999-12-31"})
    BOOST_TEST(is_date(text), text);
  for (const char* text :
       {"", "2024-13-01", "2024-12-32", "24-12-01", "2024-1-01", "2024/12/01", "2024-12-01 ", "a024-12-01"})
    BOOST_TEST(!is_date(text), text);
}

BOOST_AUTO_TEST_CASE(date_times_have_a_zone) {
  for (const char* text : {"2024-02-29T12:34:56Z", "2024-02-29t12:34:56z", "2024-02-29T12:34:56.789+05:30",
                           "2024-02-29T24:00:00Z", "2024-02-29T24:00:00.000-00:00", "2016-12-31T23:59:60Z"})
    BOOST_TEST(is_date_time(text), text);
  for (const char* text : {"", "2024-02-29", "2024-02-29T12:34:56", "2024-02-29 12:34:56Z",
                           "2024-02-29T25:00:00Z", "2024-02-29T24:00:01Z", "2024-02-29T24:00:00.1Z",
                           "2024-02-29T12:60:00Z", "2024-02-29T12:34:61Z", "2024-02-29T12:34:56.Z",
                           "2024-02-29T12:34:56+0530", "2024-02-29T12:34:56+24:00", "2024-02-29T12:34:5Z"})
    BOOST_TEST(!is_date_time(text), text);
}

BOOST_AUTO_TEST_CASE(repeated_texts_are_found) {
  BOOST_TEST(all_distinct(*text_array({"a", "", "b"})));
  BOOST_TEST(!all_distinct(*text_array({"a", "b", "a"})));
}

BOOST_AUTO_TEST_SUITE_END()
