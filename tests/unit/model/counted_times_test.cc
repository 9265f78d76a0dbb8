#include "formats/core/model/counted_times.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/core/model/derived_array.h"
#include "formats/core/model/time_text.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/says.h"

namespace plainfs {

namespace {

std::string text_of(double seconds) {
  const Elements texts = read_all(*instants_since_1970(numbers<double>({seconds})));
  return texts.is_missing(0) ? "NA" : std::string(texts.text(0));
}

int64_t count_of(double seconds, TimeUnit unit) {
  return read_all(*counted_instants(numbers<double>({seconds}), unit)).values<int64_t>()[0];
}

}  // namespace

BOOST_AUTO_TEST_SUITE(counted_times)

// What R 4.2 prints of the seconds, and the digits that format(x, digits = 17) needs to tell them apart.
BOOST_AUTO_TEST_CASE(instants_have_the_digits_that_their_number_has) {
  BOOST_TEST(text_of(1704164645) == "2024-01-02T03:04:05Z");
  BOOST_TEST(text_of(1700000000.123456) == "2023-11-14T22:13:20.123456Z");
  BOOST_TEST(text_of(-0.5) == "1969-12-31T23:59:59.5Z");
  BOOST_TEST(text_of(-1.25) == "1969-12-31T23:59:58.75Z");
  BOOST_TEST(text_of(1e-12) == "1970-01-01T00:00:00.000000000001Z");
  BOOST_TEST(text_of(std::nan("")) == "NA");
  BOOST_TEST(text_of(INFINITY) == "NA");
  BOOST_CHECK_EXCEPTION(text_of(1e300), Error, says("is too far"));
}

BOOST_AUTO_TEST_CASE(they_are_counted_as_their_text_has_them) {
  BOOST_TEST(count_of(1704164645, TimeUnit::second) == 1704164645);
  BOOST_TEST(count_of(1700000000.123456, TimeUnit::micro) == 1700000000123456);
  BOOST_TEST(count_of(-0.5, TimeUnit::micro) == -500000);
  BOOST_TEST(count_of(-1.25, TimeUnit::milli) == -1250);
  BOOST_TEST(count_of(1700000000.1234567, TimeUnit::nano) == 1700000000123456700);
  BOOST_TEST(count_of(std::nan(""), TimeUnit::micro) == kNotATime);
  BOOST_CHECK_EXCEPTION(count_of(0.1234567, TimeUnit::micro), Error, says("more than 6 digits"));
  BOOST_CHECK_EXCEPTION(count_of(1e13, TimeUnit::micro), Error, says("too far from 1970"));
  BOOST_CHECK_EXCEPTION(count_of(1e300, TimeUnit::second), Error, says("too far from 1970"));
}

BOOST_AUTO_TEST_CASE(the_most_digits_of_a_run_are_known) {
  const ArrayPtr some = numbers<double>({1, 0.5, std::nan(""), 0.125, 1700000000.1234567});
  BOOST_TEST(instant_digits(*some, 0, 5) == 7u);
  BOOST_TEST(instant_digits(*some, 0, 4) == 3u);
  BOOST_TEST(instant_digits(*some, 2, 1) == 0u);
  BOOST_TEST(instant_digits(*numbers<int32_t>({5, 6}), 0, 2) == 0u);
}

BOOST_AUTO_TEST_CASE(days_lose_their_fraction_towards_the_past) {
  const Elements days = read_all(*days_since_1970(numbers<double>({19000.9, -0.5, std::nan("")})));
  BOOST_TEST(days.values<int64_t>()[0] == 19000);
  BOOST_TEST(days.values<int64_t>()[1] == -1);
  BOOST_TEST(days.values<int64_t>()[2] == kNotATime);
}

BOOST_AUTO_TEST_CASE(instants_are_known_by_their_numbers) {
  const ArrayPtr seconds = numbers<double>({1, 2});
  const ArrayPtr texts = instants_since_1970(seconds);
  BOOST_TEST(instant_numbers(*texts) == seconds);
  BOOST_TEST(instant_numbers(*checked(texts, [] {})) == seconds);
  BOOST_TEST(instant_numbers(*text_array({"1970-01-01T00:00:01Z"})) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
