#include "formats/core/text/split.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs;

namespace {

using Parts = std::vector<std::string_view>;

}  // namespace

BOOST_AUTO_TEST_SUITE(split_text)

BOOST_AUTO_TEST_CASE(empty_parts_are_parts) {
  BOOST_TEST((split("a,,", ',') == Parts{"a", "", ""}));
  BOOST_TEST((split(",a", ',') == Parts{"", "a"}));
  BOOST_TEST((split("", ',') == Parts{""}));
  BOOST_TEST((split("a/b", ',') == Parts{"a/b"}));
}

BOOST_AUTO_TEST_CASE(taken_part_leaves_the_text) {
  std::string_view text = "a=b=c";
  BOOST_TEST(take_part(text, '=') == "a");
  BOOST_TEST(text == "b=c");
  BOOST_TEST(take_part(text, ';') == "b=c");
  BOOST_TEST(text.empty());
  BOOST_TEST(take_part(text, '=').empty());
}

BOOST_AUTO_TEST_SUITE_END()
