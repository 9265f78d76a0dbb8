#include "cache/workers.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <future>
#include <latch>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/no_threads.h"

using namespace plainfs;

BOOST_AUTO_TEST_SUITE(workers)

BOOST_AUTO_TEST_CASE(every_piece_runs_once) {
  for (const unsigned threads : {0u, 1u, 3u}) {
    Workers workers(threads);
    std::vector<std::atomic<int>> runs(1000);
    workers.parallel_for(runs.size(), [&](size_t i) { ++runs[i]; });
    for (const auto& count : runs) BOOST_TEST(count == 1);
    BOOST_TEST(workers.threads() == threads);
  }
}

BOOST_AUTO_TEST_CASE(no_pieces_are_no_work) {
  Workers workers(2);
  workers.parallel_for(0, [](size_t) { BOOST_ERROR("called"); });
}

BOOST_AUTO_TEST_CASE(without_threads_the_caller_does_it_all) {
  Workers workers(0);
  std::set<std::thread::id> seen;
  workers.parallel_for(10, [&](size_t) { seen.insert(std::this_thread::get_id()); });
  BOOST_TEST(seen.size() == 1u);
  BOOST_TEST((*seen.begin() == std::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(workers_take_part) {
  Workers workers(2);
  std::latch three_at_once(3);  // passes only with three threads inside
  workers.parallel_for(3, [&](size_t) { three_at_once.arrive_and_wait(); });
  BOOST_TEST(three_at_once.try_wait());
}

BOOST_AUTO_TEST_CASE(work_continues_without_unstarted_threads) {
  Workers workers(2);
  {
    const NoThreads scope;
    std::set<std::thread::id> seen;
    workers.parallel_for(10, [&](size_t) { seen.insert(std::this_thread::get_id()); });
    BOOST_TEST(seen.size() == 1u);
    const auto kept = std::make_shared<int>();
    workers.try_later([kept] {});
    BOOST_TEST(kept.use_count() == 1);  // no worker would run it
  }
  std::latch three_at_once(3);
  workers.parallel_for(3, [&](size_t) { three_at_once.arrive_and_wait(); });
  BOOST_TEST(three_at_once.try_wait());
}

BOOST_AUTO_TEST_CASE(calls_may_be_nested) {
  Workers workers(2);
  std::atomic<int> runs{0};
  workers.parallel_for(8, [&](size_t) {
    workers.parallel_for(8, [&](size_t) { workers.parallel_for(8, [&](size_t) { ++runs; }); });
  });
  BOOST_TEST(runs == 512);
}

BOOST_AUTO_TEST_CASE(many_callers_share_the_workers) {
  Workers workers(2);
  std::atomic<int> runs{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) workers.parallel_for(5, [&](size_t) { ++runs; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  BOOST_TEST(runs == 8000);
}

BOOST_AUTO_TEST_CASE(first_exception_is_rethrown_and_the_rest_left_out) {
  for (const unsigned threads : {0u, 2u}) {
    Workers workers(threads);
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    const auto work = [&](size_t i) {
      ++begun;
      if (i == 3) {
        ++ended;
        throw std::runtime_error("piece 3");
      }
      ++ended;
    };
    BOOST_CHECK_EXCEPTION(workers.parallel_for(1000000, work), std::runtime_error,
                          [](const auto& error) { return std::string(error.what()) == "piece 3"; });
    BOOST_TEST(begun == ended);
    BOOST_TEST(begun < 1000000);
    std::atomic<int> runs{0};
    workers.parallel_for(10, [&](size_t) { ++runs; });
    BOOST_TEST(runs == 10);
  }
}

BOOST_AUTO_TEST_CASE(exceptions_pass_through_nested_calls) {
  Workers workers(2);
  const auto inner = [](size_t) { throw std::runtime_error("inner"); };
  BOOST_CHECK_THROW(workers.parallel_for(4, [&](size_t) { workers.parallel_for(4, inner); }),
                    std::runtime_error);
}

BOOST_AUTO_TEST_CASE(later_job_runs_on_a_worker) {
  std::promise<std::thread::id> ran;  // outlives the worker that uses it
  Workers workers(1);
  workers.try_later([&] { ran.set_value(std::this_thread::get_id()); });
  BOOST_TEST((ran.get_future().get() != std::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(later_jobs_beyond_a_full_queue_are_dropped) {
  std::atomic<int> runs{0};
  {
    std::promise<void> started;
    std::promise<void> release;
    Workers workers(1);
    workers.try_later([&] {
      started.set_value();
      release.get_future().wait();
    });
    started.get_future().wait();
    for (int i = 0; i < 1000; ++i) workers.try_later([&] { ++runs; });
    release.set_value();
    workers.parallel_for(10, [](size_t) {});
  }
  BOOST_TEST(runs < 1000);
}

BOOST_AUTO_TEST_CASE(exception_of_a_later_job_is_dropped) {
  std::promise<void> ran;
  Workers workers(1);
  workers.try_later([] { throw std::runtime_error("nobody cares"); });
  workers.try_later([&] { ran.set_value(); });
  ran.get_future().wait();
}

BOOST_AUTO_TEST_CASE(later_jobs_end_when_their_captures_are_released) {
  std::promise<void> release_first, release_third, second_ran;
  const auto held = std::make_shared<int>();
  Workers workers(2);
  BOOST_TEST(workers.jobs_taken() == 0u);
  BOOST_TEST(workers.jobs_over() == 0u);
  workers.try_later([&, held] { release_first.get_future().wait(); });
  workers.try_later([&] { second_ran.set_value(); });
  workers.try_later([&] { release_third.get_future().wait(); });
  second_ran.get_future().wait();
  BOOST_TEST(workers.jobs_taken() == 3u);
  BOOST_TEST(workers.jobs_over() == 0u);  // the first is still running
  release_first.set_value();
  while (workers.jobs_over() < 2) std::this_thread::yield();
  BOOST_TEST(held.use_count() == 1);
  BOOST_TEST(workers.jobs_over() == 2u);
  release_third.set_value();
  while (workers.jobs_over() < 3) std::this_thread::yield();
  BOOST_TEST(workers.jobs_taken() == 3u);
}

BOOST_AUTO_TEST_CASE(later_jobs_without_threads_are_dropped) {
  Workers workers(0);
  workers.try_later([] { BOOST_ERROR("called"); });
  BOOST_TEST(workers.jobs_taken() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
