#include "formats/core/base/host_path.h"

#include <sys/stat.h>

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <fstream>

#include "tests/support/no_memory.h"
#include "tests/support/temporary_directory.h"

using namespace plainfs;

namespace files = boost::filesystem;

BOOST_AUTO_TEST_SUITE(make_folder)

BOOST_AUTO_TEST_CASE(missing_parent_folders_are_created) {
  const TemporaryDirectory directory;
  BOOST_TEST(make_folders(directory.path("a/b/c")));
  BOOST_TEST(files::is_directory(directory.path("a/b/c")));
  BOOST_TEST(make_folders(directory.path("a/b/c")));  // exists
}

BOOST_AUTO_TEST_CASE(created_folder_is_private) {
  const TemporaryDirectory directory;
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(make_own_folder(directory.path("a/b/own/")));
    struct stat status;
    BOOST_TEST_REQUIRE(::stat(directory.path("a/b/own").c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 0777) == 0700u);
  }
}

BOOST_AUTO_TEST_CASE(errno_holds_the_reason_of_a_failure) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path("file")) << "x";
  BOOST_TEST(!make_folders(directory.path("file/in")));
  BOOST_TEST(errno == ENOTDIR);
  BOOST_TEST(!make_own_folder(directory.path("file/in/own")));
  BOOST_TEST(errno == ENOTDIR);
  BOOST_TEST(!make_own_folder(""));
  BOOST_TEST(errno == ENOENT);
  const std::string long_name(300, 'x');  // the result is not that the path below it is absent
  BOOST_TEST(!make_folders(directory.path(long_name + "/a")));
  BOOST_TEST(errno == ENAMETOOLONG);
  if (!files::is_directory("/sys/kernel")) return;
  BOOST_TEST(!make_folders("/sys/plainfs/a"));
  BOOST_TEST(errno != ENOENT);
}

BOOST_AUTO_TEST_CASE(allocation_failure_does_not_end_the_program) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("a/folder/whose/name/is/too/long/for/a/string/without/memory");
  with_each_allocation_failing([&] { make_own_folder(path); },
                               [&] { files::remove_all(directory.path("a")); });
  BOOST_TEST(make_own_folder(path));
}

BOOST_AUTO_TEST_SUITE_END()
