#include "formats/core/text/path_names.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs;

BOOST_AUTO_TEST_SUITE(path_names)

BOOST_AUTO_TEST_CASE(path_above_is_empty_for_one_name) {
  BOOST_TEST(path_above("a/b/c.csv") == "a/b");
  BOOST_TEST(path_above("/a/b") == "/a");
  for (const char* const path : {"b.csv", "/b.csv", "/", ""}) BOOST_TEST(path_above(path) == "");
}

BOOST_AUTO_TEST_CASE(folder_of_a_path_on_a_disk_can_be_opened) {
  BOOST_TEST(folder_of_path("/a/b") == "/a");
  BOOST_TEST(folder_of_path("a/b") == "a");
  BOOST_TEST(folder_of_path("/a") == "/");
  BOOST_TEST(folder_of_path("/") == "/");
  BOOST_TEST(folder_of_path("a") == ".");
}

BOOST_AUTO_TEST_CASE(joined_paths_have_one_slash_between_names) {
  BOOST_TEST(joined_path("a", "b") == "a/b");
  BOOST_TEST(joined_path("/a/b", "c d") == "/a/b/c d");
  BOOST_TEST(joined_path("/", "b") == "/b");
  BOOST_TEST(joined_path("", "b") == "b");
}

BOOST_AUTO_TEST_SUITE_END()
