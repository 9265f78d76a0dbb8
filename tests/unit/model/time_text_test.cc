#include "formats/core/model/elements/time_text.h"

#include <boost/test/unit_test.hpp>

namespace plainfs {

namespace {

std::string time_of(TimeUnit unit, int64_t count, uint32_t multiple = 1) {
  DType type = number_type(Kind::time_point, 8);
  type.time_unit = unit;
  type.time_count = multiple;
  std::string text;
  append_time(type, count, text);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(time_text)

// Output of numpy 1.24.
BOOST_AUTO_TEST_CASE(each_unit_is_written_in_its_full_width) {
  BOOST_TEST(time_of(TimeUnit::year, 50) == "2020");
  BOOST_TEST(time_of(TimeUnit::month, -1) == "1969-12");
  BOOST_TEST(time_of(TimeUnit::week, -1) == "1969-12-25");
  BOOST_TEST(time_of(TimeUnit::day, 18262) == "2020-01-01");
  BOOST_TEST(time_of(TimeUnit::hour, -1) == "1969-12-31T23");
  BOOST_TEST(time_of(TimeUnit::minute, -1) == "1969-12-31T23:59");
  BOOST_TEST(time_of(TimeUnit::second, 951782400) == "2000-02-29T00:00:00");
  BOOST_TEST(time_of(TimeUnit::milli, -1) == "1969-12-31T23:59:59.999");
  BOOST_TEST(time_of(TimeUnit::micro, 1577934245006007) == "2020-01-02T03:04:05.006007");
  BOOST_TEST(time_of(TimeUnit::nano, 1) == "1970-01-01T00:00:00.000000001");
  BOOST_TEST(time_of(TimeUnit::pico, -1) == "1969-12-31T23:59:59.999999999999");
  BOOST_TEST(time_of(TimeUnit::femto, 123456789012345678) == "1970-01-01T00:02:03.456789012345678");
  BOOST_TEST(time_of(TimeUnit::atto, 1234567890123456789) == "1970-01-01T00:00:01.234567890123456789");
  BOOST_TEST(time_of(TimeUnit::generic, -5) == "-5");
}

BOOST_AUTO_TEST_CASE(a_multiple_of_a_unit_counts_in_steps) {
  BOOST_TEST(time_of(TimeUnit::second, -1, 25) == "1969-12-31T23:59:35");
  BOOST_TEST(time_of(TimeUnit::micro, 123456, 10) == "1970-01-01T00:00:01.234560");
}

BOOST_AUTO_TEST_CASE(years_have_at_least_four_characters) {
  BOOST_TEST(time_of(TimeUnit::year, 8030) == "10000");
  BOOST_TEST(time_of(TimeUnit::year, -1965) == "0005");
  BOOST_TEST(time_of(TimeUnit::year, -2000) == "-030");
  BOOST_TEST(time_of(TimeUnit::year, -2738) == "-768");
  BOOST_TEST(time_of(TimeUnit::day, -719529) == "-001-12-31");
}

BOOST_AUTO_TEST_CASE(the_longest_times_do_not_overflow) {
  BOOST_TEST(time_of(TimeUnit::year, INT64_MAX) == "9223372036854777777");
  BOOST_TEST(time_of(TimeUnit::second, INT64_MAX) == "292277026596-12-04T15:30:07");
  BOOST_TEST(time_of(TimeUnit::nano, INT64_MIN + 1) == "1677-09-21T00:12:43.145224193");
  BOOST_TEST(!time_of(TimeUnit::week, INT64_MIN + 1, UINT32_MAX).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
