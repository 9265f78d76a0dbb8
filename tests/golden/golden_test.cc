// Every case of tests/data against Filesystem, without FUSE: contents, sizes, slices, links and errors, and
// nothing else. A message names the section of fs/VIEWS.md that describes the file.
#include <boost/test/unit_test.hpp>

#include "tests/golden/case_check.h"
#include "tests/golden/golden_case.h"

namespace plainfs::golden {
namespace {

using namespace boost::unit_test;

// "bad-zarr" is in bad/zarr.
boost::filesystem::path folder_of(const std::string& suite) {
  const boost::filesystem::path data = PLAINFS_TEST_DATA;
  return suite.starts_with("bad-") ? data / "bad" / suite.substr(4) : data / suite;
}

void check(const boost::filesystem::path& folder) {
  for (const std::string& problem : problems_of(folder)) BOOST_ERROR(problem);
  BOOST_CHECK(true);
}

void add_suite(const std::string& name) {
  const boost::filesystem::path folder = folder_of(name);
  test_suite* suite = BOOST_TEST_SUITE(name);
  for (const std::string& golden : cases_in(folder))
    suite->add(make_test_case([path = folder / golden] { check(path); }, golden, __FILE__, __LINE__));
  framework::master_test_suite().add(suite);
}

const bool registered = [] {
  for (const std::string name : {PLAINFS_GOLDEN_SUITES}) add_suite(name);
  return true;
}();

}  // namespace
}  // namespace plainfs::golden
