#include "fs/serve/pages/model/statistics.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

namespace plainfs::serve {
namespace {

BOOST_AUTO_TEST_SUITE(statistics)

BOOST_AUTO_TEST_CASE(values_that_are_not_finite_are_only_counted) {
  const Statistics some = statistics_of(std::vector<double>{NAN, -2, INFINITY, 0, 5, -INFINITY});
  BOOST_TEST(some.values == 3U);
  BOOST_TEST(some.missing == 1U);
  BOOST_TEST(some.infinite == 2U);
  BOOST_TEST(some.above == 1U);
  BOOST_TEST(some.zeros == 1U);
  BOOST_TEST(some.least == -2);
  BOOST_TEST(some.greatest == 5);
  BOOST_TEST(some.mean == 1);
  BOOST_TEST(some.quartiles[0] == -1);
  BOOST_TEST(some.quartiles[1] == 0);
  BOOST_TEST(some.quartiles[2] == 2.5);
  BOOST_TEST(summary_text(some) == "-2 to 5, median 0, quartiles -1 and 2.5; 1 missing, 2 infinite");
}

BOOST_AUTO_TEST_CASE(no_value_has_no_range) {
  const Statistics none = statistics_of(std::vector<double>{NAN});
  BOOST_TEST(summary_text(none) == "no value; 1 missing");
  BOOST_TEST(range_sentence(none) == "There is no value; 1 missing.");
  BOOST_TEST(!range_of({NAN, INFINITY}, 0).has_value());
}

BOOST_AUTO_TEST_CASE(range_leaves_whole_values_out) {
  std::vector<double> values(1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  values[500] = 1e6;
  BOOST_TEST(range_of(values, 0.001)->low == 1);
  BOOST_TEST(range_of(values, 0.001)->high == 999);
  BOOST_TEST(range_of({3, 1, 2}, 0.01)->low == 1);
  BOOST_TEST(range_of({3, 1, 2}, 0.01)->high == 3);
  BOOST_TEST(range_of({3, 1, 2}, 0.5)->low == 2);
  BOOST_TEST(range_of({3, 1, 2}, 0.5)->high == 2);
}

BOOST_AUTO_TEST_CASE(mean_of_huge_values_is_finite) {
  constexpr double kHuge = 1.7e308;
  BOOST_TEST(statistics_of(std::vector<double>{kHuge, kHuge, kHuge}).mean == kHuge,
             boost::test_tools::tolerance(1e-15));
  const Statistics both = statistics_of(std::vector<double>{-kHuge, kHuge});
  BOOST_TEST(both.mean == 0);
  BOOST_TEST(both.quartiles[1] == 0);
  BOOST_TEST(statistics_of(std::vector<double>{1e300, 1, -1e300}).mean == 1.0 / 3);
}

BOOST_AUTO_TEST_CASE(sample_decides_the_quartiles_alone) {
  Counting counting(2);
  counting.add(std::vector<double>{1, 100, 2});
  counting.add(std::vector<double>{-100, 3});
  const Statistics some = counting.finish();
  BOOST_TEST(some.least == -100);
  BOOST_TEST(some.greatest == 100);
  BOOST_TEST(some.quartiles[1] == 2);
  BOOST_TEST(summary_text(some) == "-100 to 100, median 2, quartiles 1.5 and 2.5 of one in 2 rows");
}

BOOST_AUTO_TEST_CASE(place_in_an_interval_of_any_length) {
  BOOST_TEST((Interval{0, 4}).part(1) == 0.25);
  BOOST_TEST((Interval{0, 4}).part(9) == 1);
  BOOST_TEST((Interval{-1.7e308, 1.7e308}).part(0) == 0.5);
  BOOST_TEST((Interval{0, 1e-323}).part(5e-324) == 0.5);
  BOOST_TEST((Interval{3, 3}).part(3) == 0.5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
