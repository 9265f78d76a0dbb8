#include "fs/sizings.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <latch>
#include <thread>

#include "tests/support/no_memory.h"

using namespace plainfs;

namespace {

struct Asker : Sizings::Asker {
  bool has_left() noexcept override { return left; }
  void answer(std::exception_ptr error) noexcept override {
    try {
      if (error) std::rethrow_exception(error);
      outcome = "sized";
    } catch (const Cancelled&) {
      outcome = "cancelled";
    } catch (const std::exception& thrown) {
      outcome = thrown.what();
    }
    ++answers;
  }
  void wait() const {
    while (answers == 0) std::this_thread::yield();
  }

  std::atomic<bool> left{false};
  std::atomic<int> answers{0};
  std::string outcome;  // set once there is a result
};

std::shared_ptr<Asker> requester() {
  return std::make_shared<Asker>();
}

// A pass that continues until the test lets it end.
struct Pass {
  std::atomic<int> begun{0};
  std::atomic<int> cancelled{0};
  std::atomic<bool> may_end{false};

  void run() {
    ++begun;
    try {
      while (!may_end) {
        check_cancelled();
        std::this_thread::yield();
      }
    } catch (const Cancelled&) {
      ++cancelled;
      throw;
    }
  }
};

struct Fixture {
  std::atomic<bool> is_over{false};
  Pass passes[10];
  Sizings sizings{2, [this](Inode file) { passes[file].run(); }, [this] { return is_over.load(); }};
  std::vector<std::thread> threads;

  ~Fixture() {
    for (std::thread& thread : threads) thread.join();
  }
  // Asks on a separate thread and returns once the pass has begun.
  std::shared_ptr<Asker> begin(Inode file) {
    auto generated = requester();
    const int before = passes[file].begun;
    threads.emplace_back([this, file, generated] { sizings.ask(file, generated); });
    while (passes[file].begun == before) std::this_thread::yield();
    return generated;
  }
};

BOOST_FIXTURE_TEST_SUITE(sizings, Fixture)

BOOST_AUTO_TEST_CASE(one_pass_answers_all_callers_of_a_file) {
  const auto first = begin(1);
  const auto second = requester(), third = requester();
  sizings.ask(1, second);  // returns at once
  sizings.ask(1, third);
  BOOST_TEST(second->answers == 0);
  passes[1].may_end = true;
  for (const auto& one : {first, second, third}) {
    one->wait();
    BOOST_TEST(one->outcome == "sized");
    BOOST_TEST(one->answers == 1);
  }
  BOOST_TEST(passes[1].begun == 1);
}

BOOST_AUTO_TEST_CASE(sizing_exception_reaches_every_caller_and_is_not_kept) {
  bool fails = true;
  Sizings own(
      1,
      [&](Inode) {
        if (fails) throw std::runtime_error("as planned");
      },
      [] { return false; });
  const auto first = requester(), second = requester();
  own.ask(1, first);
  BOOST_TEST(first->outcome == "as planned");
  fails = false;
  own.ask(1, second);
  BOOST_TEST(second->outcome == "sized");
}

BOOST_AUTO_TEST_CASE(allocation_failure_costs_at_most_one_caller) {
  Sizings own(
      1, [](Inode) {}, [] { return false; });
  Inode file = 0;
  with_each_allocation_failing(
      [&] {
        ++file;
        const auto refused = requester();
        try {
          own.ask(file, refused);
        } catch (const std::bad_alloc&) {
          BOOST_TEST(refused->answers == 0);
          throw;
        }
        BOOST_TEST(refused->answers == 1);
      },
      [&] {
        const auto next = requester();
        own.ask(file, next);
        BOOST_TEST(next->outcome == "sized");
      });
  BOOST_TEST(file > 3u);
}

BOOST_AUTO_TEST_CASE(queued_passes_run_without_memory) {
  const auto first = begin(1), second = begin(2);  // no more than two run at once
  with_each_allocation_failing([&] { sizings.ask(3, requester()); }, [] {});
  const auto third = requester();
  sizings.ask(3, third);
  for (const Inode file : {1, 2, 3}) passes[file].may_end = true;
  for (const auto& one : {first, second, third}) {
    one->wait();
    BOOST_TEST(one->outcome == "sized");
  }
}

BOOST_AUTO_TEST_CASE(pass_continues_after_one_caller_leaves) {
  const auto first = begin(1);
  const auto second = requester();
  sizings.ask(1, second);
  first->left = true;
  first->wait();
  BOOST_TEST(first->outcome == "cancelled");
  BOOST_TEST(second->answers == 0);
  passes[1].may_end = true;
  second->wait();
  BOOST_TEST(second->outcome == "sized");
  BOOST_TEST(passes[1].begun == 1);
  BOOST_TEST(first->answers == 1);
}

BOOST_AUTO_TEST_CASE(pass_ends_when_the_last_caller_leaves) {
  const auto first = begin(1);
  const auto second = requester();
  sizings.ask(1, second);
  first->left = second->left = true;
  first->wait();
  second->wait();
  while (passes[1].cancelled == 0) std::this_thread::yield();
  const auto later = begin(1);  // a new pass, not the ended one
  passes[1].may_end = true;
  later->wait();
  BOOST_TEST(later->outcome == "sized");
}

BOOST_AUTO_TEST_CASE(number_of_working_threads_is_limited) {
  const auto first = begin(1), second = begin(2);
  const auto third = requester();
  sizings.ask(3, third);
  BOOST_TEST(third->answers == 0);
  passes[1].may_end = true;
  passes[3].may_end = true;
  third->wait();
  BOOST_TEST(third->outcome == "sized");
  first->wait();
  BOOST_TEST(second->answers == 0);
  passes[2].may_end = true;
  second->wait();
}

BOOST_AUTO_TEST_CASE(long_passes_take_turns_with_waiting_ones) {
  const auto first = begin(1), second = begin(2);
  const auto quick = requester();
  passes[3].may_end = true;
  sizings.ask(3, quick);
  quick->wait();  // although neither of the first two ends
  BOOST_TEST(quick->outcome == "sized");
  BOOST_TEST(passes[1].cancelled + passes[2].cancelled >= 1);
  BOOST_TEST(first->answers + second->answers == 0);
  passes[1].may_end = passes[2].may_end = true;
  first->wait();
  second->wait();
  BOOST_TEST(first->outcome == "sized");
  BOOST_TEST(second->outcome == "sized");
}

BOOST_AUTO_TEST_CASE(queued_caller_can_leave) {
  const auto first = begin(1), second = begin(2);
  const auto third = requester();
  third->left = true;
  sizings.ask(3, third);
  third->wait();
  BOOST_TEST(third->outcome == "cancelled");
  passes[1].may_end = passes[2].may_end = true;
  first->wait();
  second->wait();
  BOOST_TEST(passes[3].begun == passes[3].cancelled);  // if it had a turn before its departure was noticed
}

BOOST_AUTO_TEST_CASE(shutdown_answers_every_caller) {
  const auto queued = requester();
  {
    Fixture own;
    const auto first = own.begin(1), second = own.begin(2);
    own.sizings.ask(3, queued);
    own.is_over = true;
    first->wait();
    second->wait();
    BOOST_TEST(first->outcome == "cancelled");
    BOOST_TEST(second->outcome == "cancelled");
    BOOST_TEST(own.passes[1].cancelled == 1);
    for (std::thread& thread : own.threads) thread.join();
    own.threads.clear();
  }
  BOOST_TEST(queued->answers == 1);
  BOOST_TEST(queued->outcome == "cancelled");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
