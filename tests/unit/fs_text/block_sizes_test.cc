#include "fs/text/block_sizes.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

namespace {

using namespace plainfs;

MeasuredPtr of(const std::string& version, std::vector<uint64_t> numbers) {
  return std::make_shared<const Measured>(Measured{version, std::move(numbers)});
}

BOOST_AUTO_TEST_SUITE(block_sizes)

BOOST_AUTO_TEST_CASE(set_sizes_are_runs_of_blocks) {
  BlockSizes sizes(10);
  BOOST_TEST(!sizes.measured_in_part("x 1", 7));
  for (const uint64_t block : {2, 3, 9}) sizes.set(block, 100 + block);
  sizes.set(5, 0);
  const MeasuredPtr part = sizes.measured_in_part("x 1", 7);
  BOOST_TEST(is_in_part(*part));
  BOOST_TEST(part->numbers == (std::vector<uint64_t>{7, 10, 2, 2, 102, 103, 5, 1, 0, 9, 1, 109}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(random_sizes_are_adopted) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    const uint64_t count = random() % 50;
    BlockSizes sizes(count), again(count);
    for (uint64_t block = 0; block < count; ++block)
      if (random() % 3 > 0) sizes.set(block, random() % 1000);
    const MeasuredPtr part = sizes.measured_in_part("x 1", 0);
    if (part) BOOST_TEST(again.adopt(*part, 0));
    for (uint64_t block = 0; block < count; ++block) BOOST_TEST((again.at(block) == sizes.at(block)));
  }
}

BOOST_AUTO_TEST_CASE(numbers_of_another_text_are_not_adopted) {
  for (const std::vector<uint64_t>& wrong : {std::vector<uint64_t>{},
                                             {7},
                                             {8, 3, 0, 1, 5},
                                             {7, 4, 0, 1, 5},
                                             {7, 3, 0},
                                             {7, 3, 0, 2, 5},
                                             {7, 3, 3, 1, 5},
                                             {7, 3, 4, 0},
                                             {7, 3, 2, 2, 5, 5},
                                             {7, 3, 1, UINT64_MAX, 5}}) {
    BlockSizes sizes(3);
    BOOST_TEST(!sizes.adopt(Measured{"x 1 in part", wrong}, 7));
    for (uint64_t block = 0; block < 3; ++block) BOOST_TEST(!sizes.at(block));
  }
}

BOOST_AUTO_TEST_CASE(parts_are_joined) {
  const MeasuredPtr first = of("x 1 in part", {7, 4, 0, 1, 10}),
                    second = of("x 1 in part", {7, 4, 1, 2, 20, 30});
  const std::vector<uint64_t> both{7, 4, 0, 3, 10, 20, 30};
  BOOST_TEST(joined(first, second)->numbers == both, boost::test_tools::per_element());
  BOOST_TEST(joined(second, first)->numbers == both, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(whole_measurement_prevails_over_a_part) {
  const MeasuredPtr part = of("x 1 in part", {7, 4, 0, 1, 10}), whole = of("x 1", {7, 0, 10, 20, 30, 40});
  BOOST_TEST((joined(part, whole) == whole));
  BOOST_TEST((joined(whole, part) == whole));
}

BOOST_AUTO_TEST_CASE(parts_of_other_texts_are_not_joined) {
  const MeasuredPtr part = of("x 1 in part", {7, 4, 0, 1, 10});
  for (const MeasuredPtr& other :
       {of("y 1 in part", {7, 4, 1, 1, 10}), of("x 2", {7, 0, 10}), of("x 1 in part", {8, 4, 1, 1, 10}),
        of("x 1 in part", {7, 5, 1, 1, 10}), of("x 1 in part", {7}), of("x 1 in part", {7, 4, 1, 9, 10})})
    BOOST_TEST((joined(part, other) == part));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
