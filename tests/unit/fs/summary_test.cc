#include "fs/report/summary.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/support/memory_store.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

BOOST_AUTO_TEST_SUITE(summary)

BOOST_AUTO_TEST_CASE(left_out_lines_are_announced_and_only_then) {
  TestContext context;
  const auto root = std::make_shared<MemoryGroup>();
  root->add_array("a").add_array("b");
  root->add_group("g")->add_array("c");
  const auto store = memory_store(root);
  const auto lines = [&](size_t most) {
    const std::string text = summary_of(*store, context, "", most);
    return std::pair(std::count(text.begin(), text.end(), '\n'), text.find("and more") != text.npos);
  };
  BOOST_TEST((lines(4) == std::pair(ptrdiff_t{3}, false)));
  BOOST_TEST((lines(3) == std::pair(ptrdiff_t{3}, false)));
  BOOST_TEST((lines(2) == std::pair(ptrdiff_t{3}, true)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
