#include "fs/serve/pages/model/rank_sum.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

namespace plainfs::serve {
namespace {

template <class T>
RankSum test_of_type(const std::vector<double>& values, const std::vector<uint8_t>& is_chosen) {
  std::vector<T> own, others;
  RankedGroup<T> chosen, rest;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0)
      ++(is_chosen[i] != 0 ? chosen : rest).zeros;
    else
      (is_chosen[i] != 0 ? own : others).push_back(static_cast<T>(values[i]));
  }
  chosen.others = own;
  rest.others = others;
  return rank_sum(chosen, rest);
}

RankSum test_of(const std::vector<double>& values, const std::vector<uint8_t>& is_chosen) {
  const RankSum test = test_of_type<double>(values, is_chosen);
  BOOST_TEST(test.score == test_of_type<float>(values, is_chosen).score);
  return test;
}

BOOST_AUTO_TEST_SUITE(rank_sums)

// scipy.stats: ranks 6, 5, 4 of six, mean 10.5, deviation sqrt(3 * 3 * 7 / 12).
BOOST_AUTO_TEST_CASE(different_values_have_the_textbook_score) {
  const RankSum high = test_of({6, 5, 4, 3, 2, 1}, {1, 1, 1, 0, 0, 0});
  BOOST_TEST(high.score == 4.5 / std::sqrt(5.25), boost::test_tools::tolerance(1e-15));
  BOOST_TEST(high.p == std::erfc(4.5 / std::sqrt(10.5)), boost::test_tools::tolerance(1e-15));
  BOOST_TEST(test_of({6, 5, 4, 3, 2, 1}, {0, 0, 0, 1, 1, 1}).score == -high.score);
}

BOOST_AUTO_TEST_CASE(ties_share_their_mean_rank_and_narrow_the_deviation) {
  // Ranks 1, 3, 3, 3, 5, 6: one group of three ties.
  const RankSum tied = test_of({-1, 0, 0, -0.0, 2, 3}, {0, 0, 1, 0, 1, 1});
  const double factor = 1 - (27.0 - 3) / (216 - 6);
  BOOST_TEST(tied.score == (14 - 10.5) / std::sqrt(factor * 5.25), boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(equal_values_have_no_score) {
  const RankSum equal = test_of({2, 2, 2}, {1, 0, 0});
  BOOST_TEST(equal.score == 0);
  BOOST_TEST(equal.p == 1);
}

BOOST_AUTO_TEST_CASE(adjusted_p_never_falls_with_p_and_ends_at_one) {
  const std::vector<double> p{0.04, 0.01, 0.03, 0.9, 0.02};
  const std::vector<double> expected{0.05, 0.05, 0.05, 0.9, 0.05};
  const std::vector<double> adjusted = adjusted_p(p);
  for (size_t i = 0; i < p.size(); ++i)
    BOOST_TEST(adjusted[i] == expected[i], boost::test_tools::tolerance(1e-15));
  BOOST_TEST(adjusted_p(std::vector<double>{0.7, 0.8})[0] == 0.8);
  BOOST_TEST(adjusted_p({}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
