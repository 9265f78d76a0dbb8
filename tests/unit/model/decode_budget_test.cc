#include "formats/core/model/decode_budget.h"

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <random>
#include <thread>
#include <vector>

namespace plainfs {

BOOST_AUTO_TEST_SUITE(decode_budget)

BOOST_AUTO_TEST_CASE(concurrent_decodes_fit_the_budget_or_run_alone) {
  constexpr size_t kMax = 1000;
  DecodeBudget room(kMax);
  std::atomic<size_t> taken{0};  // never more than the limit
  std::atomic<bool> fits{true};
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 2000; ++i) {
      const size_t bytes = random() % 10 == 0 ? kMax + random() % kMax : random() % 400;
      const auto part = room.take(bytes);
      if (taken.fetch_add(bytes) + bytes > std::max(kMax, bytes)) fits = false;
      taken.fetch_sub(bytes);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 8; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(fits.load());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
