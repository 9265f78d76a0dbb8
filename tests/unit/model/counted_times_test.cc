#include "formats/core/model/arrays/counted_times.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/time_text.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"

namespace plainfs {

namespace {

ArrayPtr times(const std::vector<double>& counts, TimeUnit unit) {
  return counted_times(numbers(counts), unit, nullptr);
}

// Returns the text of one time in a .csv and in a JSON document.
std::string text_of(double number, TimeUnit unit = TimeUnit::second) {
  const ArrayPtr one = times({number}, unit);
  std::string text;
  BOOST_TEST(!append_plain(one->dtype(), read_all(*one), 0, text));
  return text;
}
std::string json_text_of(double number) {
  const ArrayPtr one = times({number}, TimeUnit::second);
  std::string text;
  append_json(one->dtype(), read_all(*one), 0, text);
  return text;
}

CountedExtent extent_of(const std::vector<double>& counts, TimeUnit unit = TimeUnit::second) {
  const ArrayPtr some = times(counts, unit);
  return counted_extent(some->dtype(), read_all(*some));
}

int64_t count_of(double seconds, TimeUnit unit) {
  return read_all(*whole_counts(times({seconds}, TimeUnit::second), unit)).values<int64_t>()[0];
}

std::optional<double> number_of(int64_t count, TimeUnit unit, uint32_t times_unit = 1) {
  DType type = number_type(Kind::time_point, 8);
  type.time_unit = unit;
  type.time_count = times_unit;
  return exact_number(type, count);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(counted_times_of_r)

// R 4.2's output of the seconds, and the digits of format(x, digits = 17) that distinguish them.
BOOST_AUTO_TEST_CASE(instants_have_the_digits_of_their_number) {
  BOOST_TEST(text_of(1704164645) == "2024-01-02T03:04:05Z");
  BOOST_TEST(text_of(1700000000.123456) == "2023-11-14T22:13:20.123456Z");
  BOOST_TEST(text_of(-0.5) == "1969-12-31T23:59:59.5Z");
  BOOST_TEST(text_of(-1.25) == "1969-12-31T23:59:58.75Z");
  BOOST_TEST(text_of(1e-12) == "1970-01-01T00:00:00.000000000001Z");
}

BOOST_AUTO_TEST_CASE(days_lose_their_fraction_towards_the_past) {
  BOOST_TEST(text_of(19000.9, TimeUnit::day) == "2022-01-08");
  BOOST_TEST(text_of(-0.5, TimeUnit::day) == "1969-12-31");
  BOOST_TEST(text_of(2932896, TimeUnit::day) == "9999-12-31");
}

// VIEWS 7 "one that is infinite, NaN or beyond 2^53 is that number"
BOOST_AUTO_TEST_CASE(number_outside_of_time_is_written_unchanged) {
  for (const TimeUnit unit : {TimeUnit::day, TimeUnit::second}) {
    BOOST_TEST(text_of(INFINITY, unit) == "Inf");
    BOOST_TEST(text_of(-INFINITY, unit) == "-Inf");
    BOOST_TEST(text_of(std::nan(""), unit) == "NaN");
    BOOST_TEST(text_of(1e300, unit) == "1e+300");
    BOOST_TEST(text_of(-9007199254740994, unit) == "-9007199254740994");
  }
  BOOST_TEST(text_of(9007199254740992, TimeUnit::day) == "24660873954867-01-10");
  BOOST_TEST(json_text_of(INFINITY) == "\"Infinity\"");
  BOOST_TEST(json_text_of(0) == "\"1970-01-01T00:00:00Z\"");
}

BOOST_AUTO_TEST_CASE(whole_counts_match_the_text) {
  BOOST_TEST(count_of(1704164645, TimeUnit::second) == 1704164645);
  BOOST_TEST(count_of(1700000000.123456, TimeUnit::micro) == 1700000000123456);
  BOOST_TEST(count_of(-0.5, TimeUnit::micro) == -500000);
  BOOST_TEST(count_of(-1.25, TimeUnit::milli) == -1250);
  BOOST_TEST(count_of(1700000000.1234567, TimeUnit::nano) == 1700000000123456700);
  for (const double seconds : std::vector<double>{0.1234567, 1e13, 1e300, std::nan(""), INFINITY})
    BOOST_CHECK_EXCEPTION(count_of(seconds, TimeUnit::micro), Error, mentions("than datetime64[us] counts"));
}

BOOST_AUTO_TEST_CASE(missing_times_stay_missing) {
  const ArrayPtr some =
      with_missing(times({1, 2}, TimeUnit::second), [](const Elements&, std::vector<uint8_t>& out) {
        out = {0, 1};
      });
  const Elements counts = read_all(*whole_counts(some, TimeUnit::second));
  BOOST_TEST(!counts.is_missing(0));
  BOOST_TEST(counts.is_missing(1));
  BOOST_TEST(counted_extent(some->dtype(), read_all(*some)).most == 1);
}

BOOST_AUTO_TEST_CASE(extent_gives_the_unit_for_all_values) {
  const CountedExtent digits = extent_of({1, 0.5, 0.125, 1700000000.1234567});
  BOOST_TEST(digits.digits == 7u);
  BOOST_TEST(!are_counted_by(TimeUnit::micro, digits));
  BOOST_TEST(are_counted_by(TimeUnit::nano, digits));
  BOOST_TEST(are_counted_by(TimeUnit::second, extent_of({-1, 1e13})));
  BOOST_TEST(!are_counted_by(TimeUnit::micro, extent_of({1e13})));
  BOOST_TEST(!are_counted_by(TimeUnit::second, extent_of({0, INFINITY})));
  BOOST_TEST(!are_counted_by(TimeUnit::second, extent_of({0, std::nan("")})));
  BOOST_TEST(are_counted_by(TimeUnit::day, extent_of({0.5}, TimeUnit::day)));
  const CountedExtent both = joined(extent_of({-5}), extent_of({7.5}));
  BOOST_TEST(both.least == -5);
  BOOST_TEST(both.most == 7);
  BOOST_TEST(both.digits == 1u);
}

BOOST_AUTO_TEST_CASE(integers_count_times_too) {
  const ArrayPtr days = counted_times(numbers<int32_t>({0, 19000}), TimeUnit::day, nullptr);
  std::string text;
  append_plain(days->dtype(), read_all(*days), 1, text);
  BOOST_TEST(text == "2022-01-08");
}

// A double of seconds keeps microseconds of current dates, and nanoseconds if these are whole microseconds.
BOOST_AUTO_TEST_CASE(number_is_exact_if_it_reads_back_to_the_count) {
  BOOST_TEST(number_of(3, TimeUnit::week).value() == 21);
  BOOST_TEST(number_of(-7, TimeUnit::day).value() == -7);
  BOOST_TEST(number_of(1, TimeUnit::hour).value() == 3600);
  BOOST_TEST(number_of(2, TimeUnit::minute, 5).value() == 600);
  BOOST_TEST(number_of(1700000000123456, TimeUnit::micro).value() == 1700000000.123456);
  BOOST_TEST(number_of(1700000000123456000, TimeUnit::nano).value() == 1700000000.123456);
  BOOST_TEST(number_of(-1, TimeUnit::milli).value() == -0.001);
  BOOST_TEST(number_of(-1250, TimeUnit::milli).value() == -1.25);
  BOOST_TEST(number_of(1, TimeUnit::atto).value() == 1e-18);
  BOOST_TEST(!number_of(1700000000123456789, TimeUnit::nano));
  BOOST_TEST(!number_of(INT64_MAX, TimeUnit::second));
  BOOST_TEST(!number_of(INT64_MAX, TimeUnit::day, 1000));
  for (const TimeUnit unit : {TimeUnit::generic, TimeUnit::year, TimeUnit::month}) {
    DType type = number_type(Kind::time_point, 8);
    type.time_unit = unit;
    BOOST_TEST(!counted_unit(type).has_value());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
