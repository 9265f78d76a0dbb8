#include "fs/serve/site/work_budget.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "cache/request.h"
#include "fs/serve/pages/table/table_work.h"
#include "tests/unit/serve/pages.h"

namespace plainfs::serve {
namespace {

using namespace std::chrono_literals;

class Gone : public Request {
 public:
  bool cancelled() const override { return true; }
};

// Numbers that count the calls of read().
class CountedNumbers : public Array {
 public:
  CountedNumbers() : Array(number_type(Kind::integer, 4), {30'000}) {}
  Elements read(const Box& box) const override {
    ++reads;
    return zero_elements(dtype(), box.extent[0]);
  }
  mutable std::atomic<int> reads{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(work_budget)

BOOST_AUTO_TEST_CASE(share_returns_to_the_budget_when_it_ends) {
  WorkBudget budget(100, 0ms);
  {
    const WorkBudget::Share a = budget.take(60);
    const WorkBudget::Share b = budget.take(40);
    BOOST_CHECK_THROW((void)budget.take(1), Busy);
    const WorkBudget::Share nothing = budget.take(0);
  }
  {
    WorkBudget::Share reduced = budget.take(100);
    reduced.reduce(30);
    reduced.reduce(50);  // does not grow again
    const WorkBudget::Share rest = budget.take(70);
    BOOST_CHECK_THROW((void)budget.take(1), Busy);
  }
  const WorkBudget::Share all = budget.take(1000);
  BOOST_CHECK_THROW((void)budget.take(1), Busy);
}

BOOST_AUTO_TEST_CASE(waiting_client_gets_its_share_when_another_ends) {
  WorkBudget budget(100, 600s);
  std::atomic<int> done{0};
  std::thread waiting;
  {
    const WorkBudget::Share all = budget.take(100);
    waiting = std::thread([&] {
      const WorkBudget::Share share = budget.take(70);
      ++done;
    });
    BOOST_TEST(done == 0);
  }
  waiting.join();
  BOOST_TEST(done == 1);
}

BOOST_AUTO_TEST_CASE(client_that_has_left_does_not_wait) {
  WorkBudget budget(100, 600s);
  const WorkBudget::Share all = budget.take(100);
  const Gone gone;
  const Request::Scope scope(&gone);
  BOOST_CHECK_THROW((void)budget.take(1), Cancelled);
}

BOOST_AUTO_TEST_CASE(equal_requests_read_a_column_once) {
  WorkBudget budget;
  TableWork work(budget);
  const auto column = std::make_shared<CountedNumbers>();
  Table table;
  table.rows = column->count();
  table.columns.push_back({"n", column});
  PageModel first, second, other;
  work.add("a?sort=n", Query("sort=n"), table, first);
  const int reads = column->reads;
  BOOST_TEST(reads > 0);
  work.add("a?sort=n", Query("sort=n"), table, second);
  BOOST_TEST(column->reads == reads);
  BOOST_TEST(second.find<Grid>()->rows.size() == first.find<Grid>()->rows.size());
  BOOST_TEST(second.find<Form>() != nullptr);
  work.add("a?sort=-n", Query("sort=-n"), table, other);
  BOOST_TEST(column->reads > reads);
}

BOOST_AUTO_TEST_CASE(sorted_table_waits_for_the_budget_and_a_small_one_does_not) {
  WorkBudget budget(100, 0ms);
  TableWork work(budget);
  const WorkBudget::Share all = budget.take(100);
  const auto column = std::make_shared<CountedNumbers>();
  Table table;
  table.rows = column->count();
  table.columns.push_back({"n", column});
  PageModel page;
  BOOST_CHECK_THROW(work.add("a?sort=n", Query("sort=n"), table, page), Busy);
  BOOST_TEST(!page.find<Grid>());
  work.add("a?", Query(""), table, page);
  BOOST_TEST(page.find<Grid>() != nullptr);
  Table small;
  small.rows = 3;
  small.columns.push_back({"n", numbers({3, 1, 2})});
  page = {};
  work.add("b?sort=n", Query("sort=n"), small, page);
  BOOST_TEST(page.find<Grid>()->rows.size() == 3U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs::serve
