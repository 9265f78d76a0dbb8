#include "fs/serve/site/shared_runs.h"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace plainfs::serve {
namespace {

using Runs = SharedRuns<int>;

// A client that may leave.
struct Leaver : Request {
  bool cancelled() const override { return has_left; }
  std::atomic<bool> has_left{false};
};

void ignore(const RunProgress&) {}

void wait_until(const std::function<bool()>& holds) {
  while (!holds()) std::this_thread::yield();
}

// Waits for a run as the client, and returns whether that was cancelled.
bool is_cancelled_for(const Request& client, Runs& runs, const Runs::Make& make) {
  const Request::Scope scope(&client);
  try {
    runs.wait("key", make, ignore);
    return false;
  } catch (const Cancelled&) {
    return true;
  }
}

BOOST_AUTO_TEST_SUITE(shared_runs)

BOOST_AUTO_TEST_CASE(equal_requests_share_a_run_and_its_result) {
  Runs runs;
  std::atomic<int> computed{0};
  const auto make = [&](RunProgress&) {
    wait_until([&] { return runs.waiting("key") == 3; });
    return ++computed;
  };
  std::vector<Runs::ResultPtr> results(3);
  std::vector<std::thread> clients;
  for (Runs::ResultPtr& result : results)
    clients.emplace_back([&] { result = runs.wait("key", make, ignore); });
  for (std::thread& client : clients) client.join();
  BOOST_TEST(computed == 1);
  for (const Runs::ResultPtr& result : results) BOOST_TEST(result == results[0]);
  BOOST_TEST(runs.waiting("key") == 0U);
  BOOST_TEST(*runs.wait(
                 "other", [](RunProgress&) { return 7; }, ignore) == 7);
}

BOOST_AUTO_TEST_CASE(run_ends_when_the_last_client_has_left) {
  Runs runs;
  Leaver first, last;
  std::atomic<bool> is_running{false}, has_ended{false};
  const auto make = [&](RunProgress&) -> int {
    is_running = true;
    try {
      for (;;) check_cancelled();
    } catch (const Cancelled&) {
      has_ended = true;
      throw;
    }
  };
  std::atomic<bool> first_is_gone{false}, last_is_gone{false};
  std::thread one([&] { first_is_gone = is_cancelled_for(first, runs, make); });
  std::thread other([&] { last_is_gone = is_cancelled_for(last, runs, make); });
  wait_until([&] { return is_running && runs.waiting("key") == 2; });
  first.has_left = true;
  one.join();
  BOOST_TEST(first_is_gone);
  BOOST_TEST(runs.waiting("key") == 1U);
  BOOST_TEST(!has_ended);
  last.has_left = true;
  other.join();
  BOOST_TEST(last_is_gone);
  BOOST_TEST(has_ended);
  BOOST_TEST(*runs.wait(
                 "key", [](RunProgress&) { return 2; }, ignore) == 2);
}

BOOST_AUTO_TEST_CASE(error_of_a_run_is_thrown_and_not_kept) {
  Runs runs;
  BOOST_CHECK_THROW(runs.wait(
                        "key", [](RunProgress&) -> int { throw Busy(); }, ignore),
                    Busy);
  BOOST_CHECK_THROW(runs.wait(
                        "key", [](RunProgress&) { return 1; }, [](const RunProgress&) { throw Busy(); }),
                    Busy);
  BOOST_TEST(*runs.wait(
                 "key", [](RunProgress&) { return 3; }, ignore) == 3);
}

BOOST_AUTO_TEST_CASE(progress_is_seen_while_a_client_waits) {
  Runs runs;
  std::atomic<bool> is_seen{false};
  runs.wait(
      "key",
      [&](RunProgress& progress) {
        progress.expect(8);
        progress.add(6);
        wait_until([&] { return is_seen.load(); });
        return 1;
      },
      [&](const RunProgress& progress) { is_seen = is_seen || progress.share() == 0.75; });
  BOOST_TEST(is_seen);
  RunProgress progress;
  BOOST_TEST(progress.share() == 0);
  progress.add(3);
  progress.expect(2);
  BOOST_TEST(progress.share() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
