#include "fs/report/ranked_files.h"

#include <boost/test/unit_test.hpp>

#include "fs/commands/one_file/file_form.h"
#include "tests/support/memory_store.h"
#include "tests/support/mentions.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

// A store with a.csv, and broken/b.csv in a group that cannot be listed.
struct BrokenFolder {
  explicit BrokenFolder(const Error& error) {
    root->add_array("a");
    const auto broken = root->add_group("broken");
    broken->add_array("b");
    broken->break_with(error);
  }
  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  Filesystem files{memory_store(root), Appearance{7, 8, 0, false, {}, {}, false, {}}, context};
  std::vector<WalkFailure> failures;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(ranked_files_of_stores)

BOOST_AUTO_TEST_CASE(files_of_a_damaged_directory_are_omitted) {
  BrokenFolder store(damaged("no magic"));
  BOOST_TEST_REQUIRE(!ranked_files(store.files, "", store.failures).empty());
  BOOST_TEST(store.failures.empty());
  BOOST_TEST(sure_files(store.files, "").front().path == "a.npy");
}

BOOST_AUTO_TEST_CASE(directory_unreadable_for_now_is_a_failure) {
  BrokenFolder store(unreadable("the disk fails"));
  BOOST_TEST(!ranked_files(store.files, "", store.failures).empty());
  BOOST_TEST_REQUIRE(store.failures.size() == 1U);
  BOOST_TEST(store.failures[0].path == "broken");
  BOOST_CHECK_EXCEPTION(sure_files(store.files, ""), Error, mentions("broken: the disk fails"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
