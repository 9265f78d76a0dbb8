#include "cache/lazy.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace plainfs;

namespace {

struct CancelledRequest : Request {
  bool cancelled() const override { return true; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(lazy)

BOOST_AUTO_TEST_CASE(the_first_of_many_threads_generates_the_value) {
  const Lazy<std::unique_ptr<const int>> lazy;
  BOOST_TEST(!lazy.known());
  std::atomic<int> generated{0};
  std::vector<const int*> found(4);
  std::latch start(4);
  std::vector<std::thread> threads;
  for (const int*& mine : found)
    threads.emplace_back([&] {
      start.arrive_and_wait();
      mine = lazy.get([&] { return std::make_unique<const int>(++generated); }).get();
    });
  for (std::thread& thread : threads) thread.join();
  for (const int* each : found) BOOST_TEST(each == lazy.known()->get());
  BOOST_TEST(generated == 1);
  BOOST_TEST(**lazy.known() == 1);
}

BOOST_AUTO_TEST_CASE(value_from_the_start_is_not_generated) {
  const Lazy<std::string> lazy("given");
  BOOST_TEST(*lazy.known() == "given");
  BOOST_TEST(lazy.get([]() -> std::string { throw 1; }) == "given");
}

BOOST_AUTO_TEST_CASE(waiting_thread_leaves_when_cancelled) {
  const Lazy<int> lazy;
  std::latch is_working(1), may_end(1);
  std::thread worker([&] {
    lazy.get([&] {
      is_working.count_down();
      may_end.wait();
      return 1;
    });
  });
  is_working.wait();
  BOOST_TEST(!lazy.known());
  {
    const CancelledRequest request;
    const Request::Scope scope(&request);
    BOOST_CHECK_THROW(lazy.get([] { return 2; }), Cancelled);
  }
  may_end.count_down();
  BOOST_TEST(lazy.get([] { return 3; }) == 1);
  worker.join();
}

BOOST_AUTO_TEST_CASE(value_is_generated_again_after_an_exception) {
  const Lazy<int> lazy;
  int calls = 0;
  BOOST_CHECK_THROW(lazy.get([&]() -> int { throw ++calls; }), int);
  BOOST_TEST(!lazy.known());
  for (int i = 0; i < 2; ++i) BOOST_TEST(lazy.get([&] { return ++calls; }) == 2);
}

BOOST_AUTO_TEST_CASE(value_that_may_not_be_kept_is_generated_again) {
  const Lazy<int> lazy;
  int calls = 0;
  const auto get = [&] { return lazy.get([&] { return ++calls; }, [](int value) { return value == 2; }); };
  BOOST_TEST(get() == 1);
  BOOST_TEST(!lazy.known());
  BOOST_TEST(get() == 2);
  BOOST_TEST(get() == 2);
  BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_SUITE_END()
