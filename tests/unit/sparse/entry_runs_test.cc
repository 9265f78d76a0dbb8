#include "formats/core/sparse/entry_runs.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "cache/mutex.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

struct NumbersInRun {
  uint64_t first = 0;
  std::vector<uint32_t> numbers{};
};

ArrayPtr counted(uint32_t count) {
  std::vector<uint32_t> numbers_(count);
  std::iota(numbers_.begin(), numbers_.end(), 0u);
  return numbers(std::move(numbers_));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(entry_runs)

BOOST_AUTO_TEST_CASE(runs_are_visited_in_stored_order) {
  TestContext context;
  const ArrayPtr index = counted(1000);
  for (const uint64_t at_once : {1, 7, 100, 5000})
    for (const auto& [first, end] : {std::pair<uint64_t, uint64_t>(0, 1000), {13, 777}, {5, 5}}) {
      const uint64_t begin_of_all = first;  // a binding is not captured
      std::vector<uint32_t> seen;
      const auto read = [&](NumbersInRun& run, uint64_t begin, uint64_t last) {
        run.first = begin;
        const Elements elements = read_run(*index, begin, last - begin);
        run.numbers.assign(elements.values<uint32_t>().begin(), elements.values<uint32_t>().end());
      };
      for_entry_runs<NumbersInRun>({{index}, first, end, at_once}, context, read,
                                   [&](const NumbersInRun& run) {
                                     BOOST_TEST_REQUIRE(run.first == begin_of_all + seen.size());
                                     seen.insert(seen.end(), run.numbers.begin(), run.numbers.end());
                                   });
      BOOST_TEST_REQUIRE(seen.size() == end - first);
      for (size_t i = 0; i < seen.size(); ++i) BOOST_TEST_REQUIRE(seen[i] == first + i);
    }
}

BOOST_AUTO_TEST_CASE(each_entry_is_worked_on_once) {
  TestContext context;
  std::vector<int> times(1000);
  Mutex mutex;
  for_entry_runs({{}, 100, 1000, 17}, context, [&](uint64_t first, uint64_t last) {
    const MutexLock lock(mutex);
    for (uint64_t i = first; i < last; ++i) ++times[i];
  });
  for (size_t i = 0; i < times.size(); ++i) BOOST_TEST_REQUIRE(times[i] == (i >= 100));
}

BOOST_AUTO_TEST_CASE(releasing_pass_leaves_nothing_in_the_cache) {
  for (const bool releases : {false, true}) {
    TestContext context;
    const auto index = std::make_shared<ChunkedCopy>(context, counted(1000), Shape{100});
    for (int i = 0; i < 2; ++i)
      for_entry_runs({{index}, 0, 1000, 30, releases}, context,
                     [&](uint64_t first, uint64_t last) { read_run(*index, first, last - first); });
    BOOST_TEST(index->chunks_decoded() == (releases ? 20u : 10u));
  }
}

BOOST_AUTO_TEST_CASE(a_cancelled_request_ends_a_pass) {
  TestContext context;
  class UntilAsked : public Request {
   public:
    bool cancelled() const override { return is_cancelled; }
    std::atomic<bool> is_cancelled{false};
  } request;
  const Request::Scope scope(&request);
  uint64_t visited = 0;
  const auto pass = [&] {
    for_entry_runs<NumbersInRun>(
        {{}, 0, 1'000'000, 1}, context, [](NumbersInRun&, uint64_t, uint64_t) {},
        [&](const NumbersInRun&) { request.is_cancelled = ++visited >= 100; });
  };
  BOOST_CHECK_THROW(pass(), Cancelled);
  BOOST_TEST(visited < 200u);
}

BOOST_AUTO_TEST_CASE(half_of_the_cache_keeps_a_matrix_between_passes) {
  TestContext context(size_t{1} << 20);
  const auto stays = [&](uint32_t entries) {
    return stay_in_cache({numbers(std::vector<float>(entries)), counted(entries), nullptr}, context);
  };
  BOOST_TEST(stays((1 << 16)));
  BOOST_TEST(!stays((1 << 16) + 1));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
