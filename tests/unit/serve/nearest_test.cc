#include "fs/serve/pages/model/nearest.h"

#include <boost/test/unit_test.hpp>

namespace plainfs::serve {
namespace {

BOOST_AUTO_TEST_SUITE(nearest)

BOOST_AUTO_TEST_CASE(the_nearest_names_come_first) {
  const std::vector<std::string> names{"MS4A1", "CD3E", "CD3D", "CD8A", "ACD3X", "CD3EAP"};
  const std::vector<std::string> near = nearest_names("cd3", names);
  BOOST_TEST_REQUIRE(near.size() == 4U);
  BOOST_TEST(near[0] == "CD3E");
  BOOST_TEST(near[1] == "CD3D");
  BOOST_TEST(near[2] == "CD3EAP");
  BOOST_TEST(near[3] == "ACD3X");
  BOOST_TEST(nearest_names("MS4A2", names).at(0) == "MS4A1");
  BOOST_TEST(nearest_names("zzzzzz", names).empty());
  BOOST_TEST(nearest_names("", names).empty());
}

BOOST_AUTO_TEST_CASE(many_near_names_are_cut_to_a_few) {
  const std::vector<std::string> names(100, "RPL");
  BOOST_TEST(nearest_names("rp", names).size() == kMaxNearest);
  BOOST_TEST(nearest_names(std::string(5000, 'x'), {std::string(64, 'X')}).size() == 1U);
}

BOOST_AUTO_TEST_CASE(letters_are_the_same_in_any_case) {
  BOOST_TEST(is_same_in_any_case("cd3e", "CD3E"));
  BOOST_TEST(!is_same_in_any_case("cd3e", "CD3"));
  BOOST_TEST(!is_same_in_any_case("[", "{"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
