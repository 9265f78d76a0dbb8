#include "formats/core/sparse/lists.h"

#include <boost/test/unit_test.hpp>
#include <numeric>

#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"

namespace plainfs {
namespace {

Lists three_columns(std::vector<int64_t> pointer) {
  return {numbers<float>({1, 2, 3}), numbers<uint32_t>({0, 1, 0}), numbers(std::move(pointer)), 3, 2};
}

std::vector<uint64_t> read_all_pointers(const Array& pointer, uint64_t entries) {
  std::vector<uint64_t> all;
  for_each_pointer(pointer, entries, [&](uint64_t number, uint64_t each) {
    BOOST_TEST_REQUIRE(number == all.size());
    all.push_back(each);
  });
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(lists)

BOOST_AUTO_TEST_CASE(valid_lists_pass_and_have_their_pointers) {
  const Lists lists = three_columns({0, 2, 2, 3});
  lists.check();
  const Pointers all(lists, 0, 3), last(lists, 1, 2);
  BOOST_TEST(all.values() == std::vector<uint64_t>({0, 2, 2, 3}), boost::test_tools::per_element());
  BOOST_TEST(last.values() == std::vector<uint64_t>({2, 2, 3}), boost::test_tools::per_element());
  BOOST_TEST(major_count(*lists.pointer) == 3u);
}

BOOST_AUTO_TEST_CASE(lengths_that_do_not_fit_are_damage) {
  BOOST_CHECK_EXCEPTION(three_columns({0, 3}).check(), Error, mentions("2 pointers for 3 columns"));
  Lists by_row = three_columns({0, 3});
  by_row.by_row = true;
  BOOST_CHECK_EXCEPTION(by_row.check(), Error, mentions("2 pointers for 3 rows"));
  Lists lists = three_columns({0, 1, 2, 3});
  lists.index = numbers<uint32_t>({0, 1});
  BOOST_CHECK_EXCEPTION(lists.check(), Error, mentions("3 values and 2 indices"));
  BOOST_CHECK_EXCEPTION(major_count(*numbers<int64_t>({})), Error, mentions("no pointers"));
}

BOOST_AUTO_TEST_CASE(two_pointers_without_majors_are_valid) {
  const Lists lists{numbers<float>({}), numbers<uint32_t>({}), numbers<uint64_t>({0, 0}), 0, 2};
  lists.check();
  BOOST_TEST(Pointers(lists, 0, 0).values().size() == 1u);
}

BOOST_AUTO_TEST_CASE(pointers_that_do_not_rise_to_the_entries_are_damage) {
  const auto refuses = [](std::vector<int64_t> pointer, const char* why) {
    const Lists lists = three_columns(std::move(pointer));
    BOOST_CHECK_EXCEPTION(Pointers(lists, 0, 3), Error, mentions(why));
  };
  refuses({1, 2, 2, 3}, "pointer 0 is 1, expected 0");
  refuses({0, 2, 1, 3}, "pointer 2 is 1 after 2, expected no less");
  refuses({0, 2, 4, 3}, "pointer 2 is 4, but there are 3 entries");
  refuses({0, -1, 2, 3}, "pointer -1 is negative");
  refuses({0, 1, 2, 2}, "the pointers end at 2, expected 3");
}

BOOST_AUTO_TEST_CASE(a_fall_between_two_runs_is_found) {
  std::vector<uint64_t> pointer(200'000);
  std::iota(pointer.begin(), pointer.end(), uint64_t{0});
  const uint64_t entries = pointer.back();
  BOOST_TEST(read_all_pointers(*numbers(pointer), entries) == pointer, boost::test_tools::per_element());
  for (const size_t number : {65'535, 65'536, 65'537, 131'072, 199'999}) {
    std::vector<uint64_t> falling = pointer;
    falling[number] = falling[number - 1] - 1;
    BOOST_CHECK_THROW(read_all_pointers(*numbers(falling), entries), Error);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
