#include "fs/tree/link_text.h"

#include <boost/test/unit_test.hpp>

namespace plainfs {
namespace {

using Path = std::vector<std::string>;

std::string inside(const Path& from, const Path& to) {
  return relative_text(from, {}, to);
}

BOOST_AUTO_TEST_SUITE(link_text)

BOOST_AUTO_TEST_CASE(a_target_in_the_same_directory_is_its_name) {
  BOOST_TEST(inside({"a", "b"}, {"a", "b", "d.csv"}) == "d.csv");
}

BOOST_AUTO_TEST_CASE(distant_target_goes_up_to_the_common_directory) {
  BOOST_TEST(inside({"a"}, {"soft.csv"}) == "../soft.csv");
  BOOST_TEST(inside({"x", "y"}, {"x", "z", "w.csv"}) == "../z/w.csv");
}

BOOST_AUTO_TEST_CASE(path_to_an_ancestor_is_only_dots) {
  BOOST_TEST(inside({"a", "b"}, {"a"}) == "..");
  BOOST_TEST(inside({"a", "b"}, {}) == "../..");
}

BOOST_AUTO_TEST_CASE(the_directory_itself_is_a_dot) {
  BOOST_TEST(inside({"a"}, {"a"}) == ".");
  BOOST_TEST(inside({}, {}) == ".");
}

BOOST_AUTO_TEST_CASE(table_of_the_same_directory_is_beside_it) {
  BOOST_TEST(inside({"a"}, {"a.csv"}) == "../a.csv");
}

BOOST_AUTO_TEST_CASE(another_store_is_reached_from_the_root) {
  BOOST_TEST(relative_text(Path{"a"}, Path{"..", "other.h5"}, Path{"x", "y.csv"}) ==
             "../../other.h5/x/y.csv");
  BOOST_TEST(relative_text(Path{}, Path{"..", "other.h5"}, Path{}) == "../other.h5");
}

BOOST_AUTO_TEST_CASE(unreachable_store_reads_source_and_path) {
  BOOST_TEST(source_and_path({"/far/s.zarr", {"x", "y"}, {}}) == "/far/s.zarr:/x/y");
  BOOST_TEST(source_and_path({"../../s.zarr", {}, {}}) == "../../s.zarr:/");
  BOOST_TEST(source_and_path({std::string("a\0b", 3), {"x"}, {}}) == "a%00b:/x");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
