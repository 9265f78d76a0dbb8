#include "fs/text/list_ends.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/sample_arrays.h"
#include "tests/support/view_text.h"

namespace plainfs {
namespace {

BOOST_AUTO_TEST_SUITE(list_ends)

BOOST_AUTO_TEST_CASE(list_begins_at_the_end_of_the_previous_one) {
  const ArrayPtr ends = numbers<uint8_t>({0, 2, 2, 5});
  ListEnds lists(*ends, 5);
  BOOST_TEST(lists.lists() == 4u);
  for (const auto& [list, begin, end] : {std::tuple(3u, 2u, 5u), {0u, 0u, 0u}, {1u, 0u, 2u}, {2u, 2u, 2u}}) {
    BOOST_TEST(lists.begin(list) == begin);
    BOOST_TEST(lists.end(list) == end);
  }
}

BOOST_AUTO_TEST_CASE(many_lists_are_read_in_windows_in_any_order) {
  std::vector<uint32_t> values(100'000);
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = 3 * i;
  const ArrayPtr ends = numbers(values);
  ListEnds lists(*ends, 300'000);
  for (const uint64_t list : {99'999u, 5u, 50'000u, 16'384u, 16'383u, 0u})
    BOOST_TEST(lists.end(list) == 3 * list);
}

BOOST_AUTO_TEST_CASE(an_end_beyond_the_elements_is_damage) {
  const ArrayPtr ends = numbers<int32_t>({1, 4});
  ListEnds lists(*ends, 3);
  BOOST_TEST(message_of([&] { lists.end(1); }) == "index 4 is not below 4");
  BOOST_TEST(message_of([&] { check_list_ends(*ends, 3); }) == "index 4 is not below 4");
}

BOOST_AUTO_TEST_CASE(decreasing_ends_are_damage_and_equal_ones_are_not) {
  BOOST_TEST(check_list_ends(*numbers<uint8_t>({0, 3, 3}), 7) == 3u);
  BOOST_TEST(check_list_ends(*numbers<uint8_t>({}), 7) == 0u);
  BOOST_TEST(message_of([] { check_list_ends(*numbers<uint8_t>({2, 1}), 7); }) == "index 1 is 1 after 2");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
