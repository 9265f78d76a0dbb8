// Dates as returned by cftime 1.6.
#include "formats/core/cf/calendar.h"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "formats/core/base/error.h"
#include "tests/support/mentions.h"

namespace plainfs {
namespace {

template <class Count>
std::string time_text(const char* units, Calendar calendar, Count count) {
  const std::optional<TimeReference> times = TimeReference::parse(units, calendar);
  BOOST_REQUIRE(times);
  std::string text;
  times->append_text(times->since_reference(count), text);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(calendar)

BOOST_AUTO_TEST_CASE(whole_counts_are_exact_in_every_unit) {
  const Calendar standard = Calendar::standard;
  BOOST_TEST(time_text("days since 2000-01-01", standard, int64_t{59}) == "2000-02-29T00:00:00");
  BOOST_TEST(time_text("hours since 1900-01-01 00:00:00.0", standard, int64_t{1051896}) ==
             "2020-01-01T00:00:00");
  BOOST_TEST(time_text("Minutes since 2000-1-1 6:30", standard, int64_t{-31}) == "2000-01-01T05:59:00");
  BOOST_TEST(time_text("seconds since 1970-01-01T00:00:00Z", standard, int64_t{1600000000}) ==
             "2020-09-13T12:26:40");
  BOOST_TEST(time_text("msecs since 1970-01-01", standard, int64_t{1}) == "1970-01-01T00:00:00.001");
  BOOST_TEST(time_text("nanoseconds since 1970-01-01", standard, int64_t{-1}) ==
             "1969-12-31T23:59:59.999999999");
}

BOOST_AUTO_TEST_CASE(reals_have_the_shortest_exact_digits) {
  const char* hours = "hours since 0001-01-01";
  BOOST_TEST(time_text(hours, Calendar::julian, 16648056.333333334) == "1900-03-01T00:20:00");
  BOOST_TEST(time_text("days since 2000-01-01", Calendar::standard, 0.1) == "2000-01-01T02:24:00");
  BOOST_TEST(time_text("days since 2000-01-01", Calendar::standard, 0.1f) == "2000-01-01T02:24:00");
  BOOST_TEST(time_text("seconds since 2000-01-01", Calendar::standard, 0.25) == "2000-01-01T00:00:00.25");
  BOOST_TEST(time_text("seconds since 2000-01-01", Calendar::standard, 1e-9) == "2000-01-01T00:00:00");
  BOOST_TEST(time_text("days since 2000-01-01", Calendar::standard, -0.5) == "1999-12-31T12:00:00");
}

BOOST_AUTO_TEST_CASE(times_close_to_the_reference_keep_their_fraction) {
  const Calendar standard = Calendar::standard;
  for (int tenths = 1; tenths < 12; ++tenths) {
    const int64_t fraction = tenths % 10;
    std::string expected = "2020-01-01T00:00:0" + std::to_string(tenths / 10);
    if (fraction != 0) expected += "." + std::to_string(fraction);
    BOOST_TEST(time_text("days since 2020-01-01", standard, tenths / 10.0 / 86400) == expected);
  }
  BOOST_TEST(time_text("seconds since 2000-01-01", standard, 0.0001) == "2000-01-01T00:00:00.0001");
  BOOST_TEST(time_text("hours since 2000-01-01", standard, 0.0001) == "2000-01-01T00:00:00.36");
  BOOST_TEST(time_text("hours since 2000-01-01", standard, 5.9e-07) == "2000-01-01T00:00:00.002124");
  BOOST_TEST(time_text("days since 2000-01-01", standard, 1e-6) == "2000-01-01T00:00:00.0864");
  BOOST_TEST(time_text("days since 2000-01-01", standard, -1e-9) == "1999-12-31T23:59:59.999914");
  BOOST_TEST(time_text("days since 2000-01-01", standard, 1e-15) == "2000-01-01T00:00:00");
  BOOST_TEST(time_text("days since 2000-01-01", standard, std::numeric_limits<double>::denorm_min()) ==
             "2000-01-01T00:00:00");
}

// The dates are those that UDUNITS 2.2 reads.
BOOST_AUTO_TEST_CASE(date_without_dashes_is_parsed) {
  const Calendar standard = Calendar::standard;
  BOOST_TEST(time_text("seconds since 19700101T00:00:00", standard, 25000.5) == "1970-01-01T06:56:40.5");
  BOOST_TEST(time_text("days since 19000101", standard, int64_t{25000}) == "1968-06-13T00:00:00");
  BOOST_TEST(time_text("days since 19500101T000000Z", standard, int64_t{1}) == "1950-01-02T00:00:00");
  BOOST_TEST(time_text("hours since 2000-01-01 0630", standard, int64_t{1}) == "2000-01-01T07:30:00");
  BOOST_TEST(time_text("days since 12000-01-01", standard, int64_t{1}) == "12000-01-02T00:00:00");
  for (const char* units :
       {"days since 19001301", "days since 1900010", "days since 190001", "days since 123456789"})
    BOOST_TEST(!TimeReference::parse(units, standard), units);
}

BOOST_AUTO_TEST_CASE(count_too_far_for_a_date_is_out_of_reach) {
  const auto times = TimeReference::parse("days since 2000-01-01", Calendar::standard);
  BOOST_TEST(times->reaches(1e12));
  BOOST_TEST(!times->reaches(1.2e12));
  BOOST_TEST(!times->reaches(INT64_MIN));
}

BOOST_AUTO_TEST_CASE(each_calendar_has_its_own_days) {
  BOOST_TEST(time_text("days since 1582-10-04", Calendar::standard, int64_t{1}) == "1582-10-15T00:00:00");
  BOOST_TEST(time_text("days since 1582-10-04", Calendar::proleptic_gregorian, int64_t{1}) ==
             "1582-10-05T00:00:00");
  BOOST_TEST(time_text("days since 1900-02-28", Calendar::julian, int64_t{1}) == "1900-02-29T00:00:00");
  BOOST_TEST(time_text("days since 2000-02-28", Calendar::no_leap, int64_t{1}) == "2000-03-01T00:00:00");
  BOOST_TEST(time_text("days since 2001-02-28", Calendar::all_leap, int64_t{1}) == "2001-02-29T00:00:00");
  BOOST_TEST(time_text("days since 2000-02-30", Calendar::days_360, int64_t{1}) == "2000-03-01T00:00:00");
  BOOST_TEST(time_text("days since 0001-01-01", Calendar::standard, int64_t{-1}) == "-001-12-31T00:00:00");
  BOOST_TEST(time_text("days since 0001-01-01", Calendar::proleptic_gregorian, int64_t{-1}) ==
             "0000-12-31T00:00:00");
}

BOOST_AUTO_TEST_CASE(days_go_to_dates_and_back) {
  for (const Calendar calendar : {Calendar::standard, Calendar::proleptic_gregorian, Calendar::julian,
                                  Calendar::no_leap, Calendar::all_leap, Calendar::days_360})
    for (int64_t days = -1'000'000; days < 1'000'000; days += 97) {
      const Date date = date_of(calendar, days);
      BOOST_REQUIRE(has_date(calendar, date));
      BOOST_REQUIRE_EQUAL(days_of(calendar, date), days);
    }
}

BOOST_AUTO_TEST_CASE(zone_shifts_the_reference) {
  BOOST_TEST(time_text("hours since 2000-01-01 00:00 +02:00", Calendar::standard, int64_t{0}) ==
             "1999-12-31T22:00:00");
  BOOST_TEST(time_text("hours since 2000-01-01T00:00:00-0130", Calendar::standard, int64_t{0}) ==
             "2000-01-01T01:30:00");
}

BOOST_AUTO_TEST_CASE(other_units_and_dates_are_no_times) {
  for (const char* units :
       {"", "days", "months since 2000-01-01", "days since", "days since yesterday", "days since 2000-13-01",
        "days since 2001-02-29", "days since 1582-10-10", "furlongs since 2000-01-01"})
    BOOST_TEST(!TimeReference::parse(units, Calendar::standard), units);
  BOOST_TEST(!calendar_named("martian"));
  BOOST_TEST((calendar_named("NoLeap") == Calendar::no_leap));
}

BOOST_AUTO_TEST_CASE(time_far_away_is_unsupported) {
  const auto times = TimeReference::parse("days since 2000-01-01", Calendar::standard);
  BOOST_CHECK_EXCEPTION(times->since_reference(INT64_MAX), Error, mentions("days from its reference"));
  BOOST_CHECK_EXCEPTION(times->since_reference(std::numeric_limits<double>::max()), Error,
                        mentions("days from its reference"));
}

BOOST_AUTO_TEST_CASE(time_may_be_cut_off_from_the_right) {
  const auto times = TimeReference::parse("hours since 2020-01-01", Calendar::standard);
  for (const char* text : {"2020-01-02", "2020-01-02T00", "2020-01-02T00:00", "2020-01-02T00:00:00"})
    BOOST_TEST((times->parse_time(text) == times->since_reference(int64_t{24})), text);
  BOOST_TEST(!times->parse_time("2020-01-02T00:00:00x"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
