#include "formats/core/base/civil_date.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs;

BOOST_AUTO_TEST_SUITE(civil_date)

BOOST_AUTO_TEST_CASE(dates_lead_back_to_their_days) {
  for (int64_t days = -1'000'000; days < 1'000'000; days += 7) {
    const CivilDate date = civil_from_days(days);
    BOOST_TEST_REQUIRE(days_before_month(static_cast<int64_t>(date.year), date.month) + date.day - 1 == days);
  }
}

BOOST_AUTO_TEST_CASE(years_beyond_those_of_chrono_have_dates) {
  BOOST_TEST(days_before_month(1970, 1) == 0);
  BOOST_TEST(days_before_month(2000, 3) == 11017);
  BOOST_TEST(days_before_month(400'000 + 2000, 3) == 11017 + 1000 * kDaysOf400Years);
  BOOST_TEST((civil_from_days(-1000 * kDaysOf400Years).year == 1970 - 400'000));
}

BOOST_AUTO_TEST_CASE(division_rounds_down) {
  BOOST_TEST(floor_divide<int64_t>(-1, 12) == -1);
  BOOST_TEST(floor_divide<int64_t>(-12, 12) == -1);
  BOOST_TEST(floor_divide<int64_t>(11, 12) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
