#include "cache/request.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <latch>
#include <memory>
#include <thread>

#include "cache/byte_cache.h"
#include "cache/cancellable_lock.h"
#include "cache/workers.h"

using namespace plainfs;

namespace {

struct Flag : Request {
  std::atomic<bool> is_cancelled{false};
  bool cancelled() const override { return is_cancelled; }
};

struct Number {
  int value = 0;
  size_t allocated_bytes() const { return 1; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(request)

BOOST_AUTO_TEST_CASE(a_thread_has_no_request_by_default) {
  BOOST_TEST(Request::current() == nullptr);
  check_cancelled();
  Flag outer, inner;
  {
    const Request::Scope scope(&outer);
    BOOST_TEST(Request::current() == &outer);
    {
      const Request::Scope nested(&inner);
      BOOST_TEST(Request::current() == &inner);
    }
    BOOST_TEST(Request::current() == &outer);
    std::thread([] { BOOST_TEST(Request::current() == nullptr); }).join();
  }
  BOOST_TEST(Request::current() == nullptr);
}

BOOST_AUTO_TEST_CASE(cancelled_request_stops_all_its_threads) {
  for (const unsigned threads : {0u, 2u}) {
    Workers workers(threads);
    Flag flag;
    const Request::Scope scope(&flag);
    std::atomic<int> pieces{0}, of_others{0};
    const auto piece = [&](size_t) {
      of_others += Request::current() != &flag;
      if (++pieces == 5) flag.is_cancelled = true;
    };
    BOOST_CHECK_THROW(workers.parallel_for(1'000'000, piece), Cancelled);
    BOOST_TEST(pieces < 10);
    BOOST_TEST(of_others == 0);
    BOOST_CHECK_THROW(workers.parallel_for(1, piece), Cancelled);
  }
}

BOOST_AUTO_TEST_CASE(cancelled_request_does_not_stop_others) {
  Workers workers(2);
  Flag flag;
  flag.is_cancelled = true;
  std::atomic<int> pieces{0};
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) workers.parallel_for(3, [&](size_t) { ++pieces; });
  });
  for (int i = 0; i < 1000; ++i) {
    const Request::Scope scope(&flag);
    BOOST_CHECK_THROW(workers.parallel_for(3, [](size_t) {}), Cancelled);
  }
  other.join();
  BOOST_TEST(pieces == 3000);
}

BOOST_AUTO_TEST_CASE(jobs_for_later_are_cancelled_when_the_workers_end) {
  std::latch begun(1);
  std::atomic<bool> cancelled{false};
  {
    Workers workers(1);
    workers.try_later([&] {
      begun.count_down();
      try {
        for (;;) check_cancelled();
      } catch (const Cancelled&) {
        cancelled = true;
      }
    });
    begun.wait();
  }
  BOOST_TEST(cancelled);
}

BOOST_AUTO_TEST_CASE(cancelled_request_gets_cached_values_but_starts_no_load) {
  ByteCache cache(1000);
  Flag flag;
  cache.get<Number>({1, 1}, [] { return Number{1}; });
  flag.is_cancelled = true;
  const Request::Scope scope(&flag);
  BOOST_TEST(cache.get<Number>({1, 1}, [] { return Number{2}; })->value == 1);
  bool loaded = false;
  BOOST_CHECK_THROW(cache.get<Number>({1, 2},
                                      [&] {
                                        loaded = true;
                                        return Number{2};
                                      }),
                    Cancelled);
  BOOST_TEST(!loaded);
}

BOOST_AUTO_TEST_CASE(waiter_takes_over_the_load_of_a_cancelled_request) {
  ByteCache cache(1000);
  Flag flag;
  std::atomic<int> loads{0};
  bool was_cancelled = false;
  std::thread first([&] {
    const Request::Scope scope(&flag);
    const auto load = [&]() -> Number {
      ++loads;
      while (cache.statistics().hits < 1) std::this_thread::yield();  // until the other one waits for it
      flag.is_cancelled = true;
      check_cancelled();
      return Number{1};
    };
    try {
      cache.get<Number>({1, 1}, load);
    } catch (const Cancelled&) {
      was_cancelled = true;
    }
  });
  while (loads == 0) std::this_thread::yield();
  const auto load = [&] {
    ++loads;
    return Number{2};
  };
  BOOST_TEST(cache.get<Number>({1, 1}, load)->value == 2);
  first.join();
  BOOST_TEST(was_cancelled);
  BOOST_TEST(loads == 2);
  BOOST_TEST(cache.statistics().hits == 0u);
  BOOST_TEST(cache.statistics().misses == 2u);
}

BOOST_AUTO_TEST_CASE(cancelled_waiter_leaves_the_load_of_another) {
  ByteCache cache(1000);
  const CacheKey key{cache.new_owner(), 0};
  std::latch is_loading(1), may_end(1);
  std::thread loader([&] {
    cache.get<Number>(key, [&] {
      is_loading.count_down();
      may_end.wait();
      return Number{1};
    });
  });
  is_loading.wait();
  Flag flag;
  flag.is_cancelled = true;
  const Request::Scope scope(&flag);
  BOOST_CHECK_THROW(cache.get<Number>(key, [] { return Number{2}; }), Cancelled);
  may_end.count_down();
  loader.join();
  BOOST_TEST(cache.held<Number>(key)->value == 1);
}

BOOST_AUTO_TEST_CASE(cancelled_waiter_leaves_a_once_task) {
  Once once;
  int done = 0;
  std::latch is_working(1), may_end(1);
  std::thread worker([&] {
    once.call([&] {
      is_working.count_down();
      may_end.wait();
      ++done;
    });
  });
  is_working.wait();
  {
    Flag flag;
    flag.is_cancelled = true;
    const Request::Scope scope(&flag);
    BOOST_CHECK_THROW(once.call([&] { ++done; }), Cancelled);
  }
  may_end.count_down();
  once.call([&] { ++done; });
  worker.join();
  BOOST_TEST(done == 1);
}

BOOST_AUTO_TEST_CASE(failed_once_task_is_done_by_the_next_caller) {
  Once once;
  int calls = 0;
  BOOST_CHECK_THROW(once.call([&] { throw ++calls; }), int);
  for (int i = 0; i < 2; ++i) once.call([&] { ++calls; });
  BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_SUITE_END()
