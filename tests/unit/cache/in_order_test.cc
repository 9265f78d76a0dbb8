#include "cache/in_order.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using namespace plainfs;

namespace {

class Ended : public Request {
 public:
  bool cancelled() const override { return is_ended; }
  std::atomic<bool> is_ended{false};
};

std::string number_text(size_t number) {
  return std::to_string(number);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(in_order)

BOOST_AUTO_TEST_CASE(pieces_are_used_in_their_order) {
  for (const unsigned threads : {0u, 1u, 3u}) {
    Workers workers(threads);
    std::vector<std::string> used;
    InOrder<std::string>::run(workers, 1000, number_text, [&](size_t number, std::string piece) {
      BOOST_TEST(piece == number_text(number));
      used.push_back(std::move(piece));
    });
    BOOST_TEST(used.size() == 1000u);
    BOOST_TEST(used.back() == "999");
  }
}

BOOST_AUTO_TEST_CASE(number_of_pieces_in_memory_is_bounded) {
  Workers workers(3);
  std::atomic<int> running{0}, most{0};
  InOrder<int>::run(
      workers, 2000,
      [&](size_t) {
        const int now = ++running;
        for (int before = most; now > before && !most.compare_exchange_weak(before, now);) continue;
        return 0;
      },
      [&](size_t, int) { --running; });
  BOOST_TEST(most <= 12);  // two per thread, plus the one that each makes
}

BOOST_AUTO_TEST_CASE(failing_piece_ends_all) {
  Workers workers(3);
  size_t used = 0;
  const auto make = [](size_t number) {
    if (number == 100) throw std::runtime_error("piece 100");
    return number;
  };
  BOOST_CHECK_THROW(InOrder<size_t>::run(workers, 100'000, make, [&](size_t, size_t) { ++used; }),
                    std::runtime_error);
  BOOST_TEST(used <= 100u);
}

BOOST_AUTO_TEST_CASE(failing_user_ends_all) {
  Workers workers(3);
  size_t used = 0;
  BOOST_CHECK_THROW(InOrder<size_t>::run(
                        workers, 100'000, [](size_t number) { return number; },
                        [&](size_t number, size_t) {
                          ++used;
                          if (number == 50) throw std::runtime_error("full");
                        }),
                    std::runtime_error);
  BOOST_TEST(used == 51u);
}

BOOST_AUTO_TEST_CASE(cancelled_request_ends_all) {
  Workers workers(3);
  Ended request;
  const Request::Scope scope(&request);
  size_t used = 0;
  BOOST_CHECK_THROW(InOrder<size_t>::run(
                        workers, 100'000, [](size_t number) { return number; },
                        [&](size_t number, size_t) {
                          ++used;
                          if (number == 50) request.is_ended = true;
                        }),
                    Cancelled);
  BOOST_TEST(used < 100u);
}

BOOST_AUTO_TEST_SUITE_END()
