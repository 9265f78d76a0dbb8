#include "cache/byte_cache.h"

#include <time.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace plainfs;

namespace {

// A value with a chosen cost.
struct Sized {
  uint64_t value = 0;
  size_t bytes = 0;
  size_t allocated_bytes() const { return bytes; }
};

constexpr size_t kKilobyte = 1000;

// Loads a value if `key` is absent, and counts the loads.
struct Loads {
  std::atomic<int> count{0};
  std::shared_ptr<const Sized> get(ByteCache& cache, CacheKey key, uint64_t value, size_t bytes = kKilobyte) {
    return cache.get<Sized>(key, [&] {
      ++count;
      return Sized{value, bytes};
    });
  }
};

void run_threads(int threads, const std::function<void(int)>& work) {
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) running.emplace_back(work, t);
  for (std::thread& thread : running) thread.join();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(byte_cache)

BOOST_AUTO_TEST_CASE(value_is_loaded_once_while_held) {
  ByteCache cache(100 * kKilobyte);
  Loads loads;
  const uint64_t owner = cache.new_owner();
  const auto first = loads.get(cache, {owner, 7}, 42);
  const auto second = loads.get(cache, {owner, 7}, 43);
  BOOST_TEST(first->value == 42u);
  BOOST_TEST(first == second);
  BOOST_TEST(loads.count == 1);
  const CacheStatistics statistics = cache.statistics();
  BOOST_TEST(statistics.hits == 1u);
  BOOST_TEST(statistics.misses == 1u);
  BOOST_TEST(statistics.held_bytes >= kKilobyte);
  BOOST_TEST(statistics.budget_bytes == 100 * kKilobyte);
}

BOOST_AUTO_TEST_CASE(owners_and_items_have_separate_entries) {
  ByteCache cache(100 * kKilobyte);
  Loads loads;
  const uint64_t a = cache.new_owner();
  const uint64_t b = cache.new_owner();
  BOOST_TEST(a != b);
  BOOST_TEST(loads.get(cache, {a, 1}, 11)->value == 11u);
  BOOST_TEST(loads.get(cache, {a, 2}, 12)->value == 12u);
  BOOST_TEST(loads.get(cache, {b, 1}, 21)->value == 21u);
  BOOST_TEST(loads.count == 3);
}

BOOST_AUTO_TEST_CASE(least_recently_used_value_is_evicted_first) {
  ByteCache cache(10 * 2 * kKilobyte);
  Loads loads;
  const uint64_t owner = cache.new_owner();
  for (uint64_t i = 0; i < 8; ++i) loads.get(cache, {owner, i}, i, 2 * kKilobyte);
  for (uint64_t i = 8; i < 40; ++i) {
    loads.get(cache, {owner, 0}, 0, 2 * kKilobyte);  // used all the time
    loads.get(cache, {owner, i}, i, 2 * kKilobyte);
  }
  const int before = loads.count;
  loads.get(cache, {owner, 0}, 0);
  loads.get(cache, {owner, 39}, 39);
  BOOST_TEST(loads.count == before);
  loads.get(cache, {owner, 1}, 1);
  BOOST_TEST(loads.count == before + 1);
  BOOST_TEST(cache.statistics().evictions > 0u);
}

BOOST_AUTO_TEST_CASE(one_value_may_use_almost_the_whole_budget) {
  ByteCache cache(1000 * kKilobyte);
  Loads loads;
  const uint64_t owner = cache.new_owner();
  for (uint64_t i = 0; i < 500; ++i) loads.get(cache, {owner, i}, i);
  loads.get(cache, {owner, 999}, 5, 990 * kKilobyte);
  const int before = loads.count;
  BOOST_TEST(loads.get(cache, {owner, 999}, 6)->value == 5u);
  BOOST_TEST(loads.count == before);
  BOOST_TEST(cache.statistics().held_bytes <= 1000 * kKilobyte);
}

// The allocator loses about one sixteenth between entries of several kilobytes.
BOOST_AUTO_TEST_CASE(allocator_overhead_counts_as_held) {
  ByteCache cache(1000 * kKilobyte);
  Loads loads;
  const uint64_t owner = cache.new_owner();
  loads.get(cache, {owner, 1}, 1, 16 * kKilobyte);
  const uint64_t one = cache.statistics().held_bytes;
  BOOST_TEST(one >= 17 * kKilobyte);
  BOOST_TEST(one < 18 * kKilobyte);
  loads.get(cache, {owner, 2}, 2, 500 * kKilobyte);
  BOOST_TEST(cache.statistics().held_bytes - one < 505 * kKilobyte);
}

BOOST_AUTO_TEST_CASE(value_over_the_budget_is_returned_and_not_kept) {
  ByteCache cache(10 * kKilobyte);
  Loads loads;
  const uint64_t owner = cache.new_owner();
  loads.get(cache, {owner, 1}, 1);
  BOOST_TEST(loads.get(cache, {owner, 2}, 2, 11 * kKilobyte)->value == 2u);
  BOOST_TEST(loads.get(cache, {owner, 2}, 3, 11 * kKilobyte)->value == 3u);
  BOOST_TEST(loads.count == 3);
  loads.get(cache, {owner, 1}, 1);
  BOOST_TEST(loads.count == 3);  // cached values stay
}

BOOST_AUTO_TEST_CASE(cache_without_budget_keeps_nothing) {
  ByteCache cache(0);
  Loads loads;
  BOOST_TEST(loads.get(cache, {1, 1}, 5)->value == 5u);
  BOOST_TEST(loads.get(cache, {1, 1}, 6)->value == 6u);
  BOOST_TEST(cache.statistics().held_bytes == 0u);
}

BOOST_AUTO_TEST_CASE(evicted_value_lives_while_it_is_read) {
  ByteCache cache(2 * kKilobyte);
  Loads loads;
  const auto held = loads.get(cache, {1, 1}, 77);
  for (uint64_t i = 2; i < 20; ++i) loads.get(cache, {1, i}, i);
  BOOST_TEST(held->value == 77u);
  BOOST_TEST(held.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(concurrent_misses_share_one_load) {
  ByteCache cache(100 * kKilobyte);
  std::atomic<int> loads{0};
  std::atomic<uint64_t> sum{0};
  // The load ends only once the other seven wait for it (waiters count as hits).
  const auto load = [&] {
    ++loads;
    while (cache.statistics().hits < 7) std::this_thread::yield();
    return Sized{9, kKilobyte};
  };
  run_threads(8, [&](int) { sum += cache.get<Sized>({1, 1}, load)->value; });
  BOOST_TEST(loads == 1);
  BOOST_TEST(sum == 72u);
}

BOOST_AUTO_TEST_CASE(optional_lookup_does_not_wait_for_a_load) {
  ByteCache cache(100 * kKilobyte);
  std::atomic<bool> loading{false}, go_on{false};
  std::thread loader([&] {
    cache.get<Sized>({1, 1}, [&] {
      loading = true;
      while (!go_on) std::this_thread::yield();
      return Sized{9, kKilobyte};
    });
  });
  while (!loading) std::this_thread::yield();
  const auto load = [] { return Sized{10, kKilobyte}; };
  BOOST_TEST(!cache.get_unless_loading<Sized>({1, 1}, load));
  BOOST_TEST(!cache.held<Sized>({1, 1}));
  BOOST_TEST(cache.get_unless_loading<Sized>({1, 2}, load)->value == 10u);
  go_on = true;
  loader.join();
  BOOST_TEST(cache.get_unless_loading<Sized>({1, 1}, load)->value == 9u);
  BOOST_TEST(cache.held<Sized>({1, 1})->value == 9u);
}

BOOST_AUTO_TEST_CASE(exception_reaches_every_waiter_and_is_forgotten) {
  ByteCache cache(100 * kKilobyte);
  std::atomic<int> loads{0};
  std::atomic<int> caught{0};
  const auto fail = [&]() -> Sized {
    ++loads;
    while (cache.statistics().hits < 7) std::this_thread::yield();
    throw std::runtime_error("chunk is damaged");
  };
  run_threads(8, [&](int) {
    try {
      cache.get<Sized>({1, 1}, fail);
    } catch (const std::runtime_error& error) {
      if (std::string(error.what()) == "chunk is damaged") ++caught;
    }
  });
  BOOST_TEST(loads == 1);
  BOOST_TEST(caught == 8);
  Loads good;
  BOOST_TEST(good.get(cache, {1, 1}, 3)->value == 3u);
  BOOST_TEST(good.count == 1);
}

BOOST_AUTO_TEST_CASE(loads_nest_downwards) {
  ByteCache cache(100 * kKilobyte);
  Loads inner;
  const auto text = cache.get<Sized>({1, 1}, [&] {
    const auto chunk = inner.get(cache, {2, 1}, 20);
    return Sized{chunk->value + 1, kKilobyte};
  });
  BOOST_TEST(text->value == 21u);
  inner.get(cache, {2, 1}, 0);
  BOOST_TEST(inner.count == 1);
}

BOOST_AUTO_TEST_CASE(recursive_load_is_an_error_and_no_deadlock) {
  ByteCache cache(100 * kKilobyte);
  Loads loads;
  BOOST_CHECK_THROW(cache.get<Sized>({1, 1}, [&] { return *loads.get(cache, {1, 1}, 1); }), std::logic_error);
  BOOST_TEST(loads.get(cache, {1, 1}, 4)->value == 4u);
}

BOOST_AUTO_TEST_CASE(drop_forgets_the_owners_in_its_range) {
  ByteCache cache(100 * kKilobyte);
  Loads loads;
  for (uint64_t owner = 1; owner <= 4; ++owner) loads.get(cache, {owner, 0}, owner);
  cache.drop(2, 4);
  loads.count = 0;
  for (uint64_t owner = 1; owner <= 4; ++owner) loads.get(cache, {owner, 0}, owner);
  BOOST_TEST(loads.count == 2);
  cache.drop(0, 100);
  BOOST_TEST(cache.statistics().held_bytes == 0u);
}

// Returns the processor time of this thread that 2,000 views need to come and go while an array holds
// `chunks` chunks.
double seconds_of_drops_beside(uint64_t chunks) {
  ByteCache cache(200'000 * kKilobyte);
  Loads loads;
  for (uint64_t item = 0; item < chunks; ++item) loads.get(cache, {1, item}, item, 1);
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  for (uint64_t owner = 2; owner < 2'002; ++owner) {
    loads.get(cache, {owner, 0}, owner, 1);
    cache.drop(owner, owner + 1);
  }
  const double seconds = now() - begin;
  loads.count = 0;
  loads.get(cache, {1, chunks - 1}, 0, 1);
  BOOST_TEST(loads.count == 0);
  return seconds;
}

// If each drop visited every entry, 500 times as many would take about 500 times as long.
BOOST_AUTO_TEST_CASE(drop_visits_no_entries_of_other_owners) {
  BOOST_TEST(seconds_of_drops_beside(100'000) < 50 * seconds_of_drops_beside(200));
}

BOOST_AUTO_TEST_CASE(value_dropped_during_its_load_is_not_kept) {
  ByteCache cache(100 * kKilobyte);
  Loads loads;
  const auto value = cache.get<Sized>({1, 1}, [&] {
    cache.drop(1, 2);
    return Sized{5, kKilobyte};
  });
  BOOST_TEST(value->value == 5u);
  BOOST_TEST(cache.statistics().held_bytes == 0u);
  BOOST_TEST(loads.get(cache, {1, 1}, 6)->value == 6u);
}

BOOST_AUTO_TEST_CASE(budget_holds_with_eight_threads) {
  constexpr size_t kBudget = 64 * kKilobyte;
  ByteCache cache(kBudget);
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  run_threads(8, [&](int thread) {
    std::mt19937_64 random(thread);
    for (int i = 0; i < 4000; ++i) {
      const uint64_t item = random() % 200;
      const size_t bytes = item % 10 == 0 ? 30 * kKilobyte : kKilobyte;
      const auto value = cache.get<Sized>({item % 3, item}, [&] { return Sized{item, bytes}; });
      if (value->value != item) ++wrong;
      if (cache.statistics().held_bytes > kBudget) over = true;
      if (i % 1000 == 999) cache.drop(0, 2);
    }
  });
  BOOST_TEST(wrong == 0);
  BOOST_TEST(!over);
  cache.drop(0, 3);
  BOOST_TEST(cache.statistics().held_bytes == 0u);
}

BOOST_AUTO_TEST_CASE(forgotten_value_is_loaded_again) {
  ByteCache cache(100 * kKilobyte);
  Loads loads;
  const uint64_t owner = cache.new_owner();
  loads.get(cache, {owner, 1}, 42);
  loads.get(cache, {owner, 2}, 43);
  const uint64_t held = cache.statistics().held_bytes;
  cache.forget({owner, 1});
  cache.forget({owner, 3});
  BOOST_TEST(cache.statistics().held_bytes == held / 2);
  BOOST_TEST(loads.get(cache, {owner, 2}, 44)->value == 43u);
  BOOST_TEST(loads.get(cache, {owner, 1}, 45)->value == 45u);
}

BOOST_AUTO_TEST_CASE(value_forgotten_during_its_load_is_not_kept) {
  ByteCache cache(100 * kKilobyte);
  const uint64_t owner = cache.new_owner();
  const auto value = cache.get<Sized>({owner, 1}, [&] {
    cache.forget({owner, 1});
    return Sized{42, kKilobyte};
  });
  BOOST_TEST(value->value == 42u);
  BOOST_TEST(cache.statistics().held_bytes == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
