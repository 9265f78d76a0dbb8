#include "fs/index/housekeeping.h"

#include <boost/test/unit_test.hpp>
#include <new>
#include <vector>

#include "cache/request.h"
#include "formats/core/base/error.h"

namespace plainfs {
namespace {

BOOST_AUTO_TEST_SUITE(housekeeping)

BOOST_AUTO_TEST_CASE(faults_of_housekeeping_are_lines_of_the_log) {
  std::vector<std::string> lines;
  const auto log = [&](const std::string& line) { lines.push_back(line); };
  bool is_done = false;
  keep_house("nothing saved", log, [&] { is_done = true; });
  BOOST_TEST(is_done);
  BOOST_TEST(lines.empty());
  keep_house("nothing saved", log, [] { throw not_found("inode {} does not exist", 7); });
  keep_house("nothing saved", log, [] { throw Cancelled(); });
  const std::vector<std::string> logged{"nothing saved: inode 7 does not exist"};
  BOOST_TEST(lines == logged, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_log_without_memory_is_no_fault_either) {
  keep_house(
      "nothing saved", [](const std::string&) { throw std::bad_alloc(); }, [] { throw std::bad_alloc(); });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
