#include "formats/core/model/arrays/index_run.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"

namespace plainfs {

namespace {

template <class U>
std::vector<U> run_of(const ArrayPtr& array, uint64_t limit) {
  const IndexRun<U> run(*array, 0, array->count(), limit, "row");
  return {run.values().begin(), run.values().end()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(index_run)

BOOST_AUTO_TEST_CASE(integers_of_any_size_become_indices) {
  const std::vector<uint32_t> want = {0, 7, 100};
  const auto same = boost::test_tools::per_element();
  BOOST_TEST(run_of<uint32_t>(numbers<int8_t>({0, 7, 100}), 101) == want, same);
  BOOST_TEST(run_of<uint32_t>(numbers<uint16_t>({0, 7, 100}), 101) == want, same);
  BOOST_TEST(run_of<uint32_t>(numbers<int32_t>({0, 7, 100}), 101) == want, same);
  BOOST_TEST(run_of<uint32_t>(numbers<uint32_t>({0, 7, 100}), 101) == want, same);
  BOOST_TEST(run_of<uint32_t>(numbers<int64_t>({0, 7, 100}), 101) == want, same);
  BOOST_TEST(run_of<uint64_t>(numbers<uint64_t>({UINT64_MAX - 1}), UINT64_MAX).front() == UINT64_MAX - 1);
}

BOOST_AUTO_TEST_CASE(indices_outside_the_limit_are_damage) {
  BOOST_CHECK_EXCEPTION(run_of<uint32_t>(numbers<int32_t>({0, -1}), 10), Error, mentions("is not below"));
  BOOST_CHECK_EXCEPTION(run_of<uint32_t>(numbers<int32_t>({0, -1}), UINT32_MAX), Error,
                        mentions("is not below"));
  BOOST_CHECK_EXCEPTION(run_of<uint64_t>(numbers<int64_t>({INT64_MIN}), UINT64_MAX), Error,
                        mentions("is negative"));
  BOOST_CHECK_EXCEPTION(run_of<uint32_t>(numbers<uint64_t>({uint64_t{1} << 40}), 10), Error,
                        mentions("is not below"));
  BOOST_CHECK_EXCEPTION(run_of<uint32_t>(numbers<uint8_t>({10}), 10), Error, mentions("is not below"));
  BOOST_CHECK_EXCEPTION(run_of<uint32_t>(numbers<double>({1}), 10), Error, mentions("expected integers"));
  BOOST_CHECK_EXCEPTION(run_of<uint32_t>(text_array({"1"}), 10), Error,
                        mentions("text is not a number type"));
  BOOST_TEST(run_of<uint32_t>(numbers<int32_t>({}), 0).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
