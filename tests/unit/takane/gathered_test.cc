#include "formats/core/model/arrays/gathered.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/arrays/turned_array.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/store_nodes.h"

namespace plainfs::takane {
namespace {

Indices indices(std::vector<uint64_t> values) {
  return std::make_shared<const std::vector<uint64_t>>(std::move(values));
}

// 2 x 3: 0 1 2 / 3 4 5
ArrayPtr matrix() {
  return numbers<int32_t>({0, 1, 2, 3, 4, 5}, {2, 3});
}

std::string text_of(const Elements& elements) {
  std::string text;
  for (const int32_t value : elements.values<int32_t>()) text += std::to_string(value) + " ";
  return text;
}
std::string text_of(const Array& array) {
  return text_of(read_all(array));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(takane_gathered)

BOOST_AUTO_TEST_CASE(axes_change_places) {
  const ArrayPtr turned = permuted(matrix(), {1, 0});
  BOOST_CHECK((turned->shape() == Shape{3, 2}));
  BOOST_TEST(text_of(*turned) == "0 3 1 4 2 5 ");
  BOOST_TEST(text_of(turned->read({{1, 0}, {2, 1}})) == "1 2 ");
  const ArrayPtr cube = permuted(numbers<int32_t>({0, 1, 2, 3, 4, 5, 6, 7}, {2, 2, 2}), {2, 0, 1});
  BOOST_TEST(text_of(*cube) == "0 2 4 6 1 3 5 7 ");
}

BOOST_AUTO_TEST_CASE(reversed_dimensions_are_put_in_order) {
  BOOST_TEST(text_of(*in_row_order(as_column_major(matrix()))) == "0 3 1 4 2 5 ");
  BOOST_TEST(text_of(*in_row_order(matrix())) == "0 1 2 3 4 5 ");
}

BOOST_AUTO_TEST_CASE(indices_are_picked_in_any_order_and_may_repeat) {
  BOOST_TEST(text_of(*subset(matrix(), 1, indices({2, 0, 2}))) == "2 0 2 5 3 5 ");
  BOOST_TEST(text_of(*subset(matrix(), 0, indices({1, 1}))) == "3 4 5 3 4 5 ");
  BOOST_TEST(text_of(subset(matrix(), 1, indices({2, 0, 2}))->read({{1, 1}, {1, 2}})) == "3 5 ");
  BOOST_TEST(read_all(*subset(matrix(), 1, indices({}))).count == 0u);
  std::vector<int32_t> many(1000);
  for (int i = 0; i < 1000; ++i) many[i] = i;
  BOOST_TEST(text_of(*subset(numbers(many), 0, indices({999, 3, 500, 4}))) == "999 3 500 4 ");
}

BOOST_AUTO_TEST_CASE(rising_indices_are_picked_run_by_run) {
  std::vector<int32_t> many(1000);
  for (int i = 0; i < 1000; ++i) many[i] = i;
  const ArrayPtr pairs = numbers(many, {500, 2});
  BOOST_TEST(text_of(*subset(pairs, 0, indices({1, 2, 4, 300}))) == "2 3 4 5 8 9 600 601 ");
  BOOST_TEST(text_of(*subset(pairs, 0, indices({1, 1, 3}))) == "2 3 2 3 6 7 ");
  BOOST_TEST(text_of(*subset(pairs, 0, indices({1, 2, 3}))) == "2 3 4 5 6 7 ");
  BOOST_TEST(text_of(subset(pairs, 0, indices({1, 2, 4, 300}))->read({{1, 1}, {3, 1}})) == "5 9 601 ");
  BOOST_TEST(text_of(subset(pairs, 0, indices({1, 2, 4, 300}))->peek({{3, 0}, {1, 2}})) == "600 601 ");
}

BOOST_AUTO_TEST_CASE(stretches_follow_each_other) {
  std::vector<int32_t> many(10000);
  for (int i = 0; i < 10000; ++i) many[i] = i;
  const auto of = [&](std::vector<Stretch> stretches) {
    return gathered(numbers(many), std::make_shared<const std::vector<Stretch>>(std::move(stretches)));
  };
  const ArrayPtr some = of({{3, 2}, {7, 0}, {9, 1}, {9000, 2}, {0, 1}});
  BOOST_CHECK((some->shape() == Shape{6}));
  BOOST_TEST(text_of(*some) == "3 4 9 9000 9001 0 ");
  for (uint64_t first = 0; first <= 6; ++first)
    for (uint64_t count = 0; first + count <= 6; ++count) {
      const std::vector<int32_t> all{3, 4, 9, 9000, 9001, 0};
      const Elements read = some->read(range(first, count));
      BOOST_TEST(read.count == count);
      BOOST_TEST(
          std::equal(read.values<int32_t>().begin(), read.values<int32_t>().end(), all.begin() + first));
    }
  BOOST_TEST(of({})->read(range(0, 0)).count == 0u);
  BOOST_CHECK_THROW(some->read(range(5, 2)), Error);
}

BOOST_AUTO_TEST_CASE(parts_follow_each_other_along_an_axis) {
  const ArrayPtr other = numbers<int32_t>({6, 7}, {2, 1});
  const ArrayPtr wide = combined({matrix(), other}, 1);
  BOOST_CHECK((wide->shape() == Shape{2, 4}));
  BOOST_TEST(text_of(*wide) == "0 1 2 6 3 4 5 7 ");
  BOOST_TEST(text_of(wide->read({{1, 2}, {1, 2}})) == "5 7 ");
  BOOST_TEST(text_of(*combined({matrix(), matrix()}, 0)) == "0 1 2 3 4 5 0 1 2 3 4 5 ");
}

// The second part covers the box alone; the first and the last have some of it.
BOOST_AUTO_TEST_CASE(boxes_cross_several_parts) {
  const ArrayPtr three =
      combined({numbers<int32_t>({0, 1}), numbers<int32_t>({2, 3, 4}), numbers<int32_t>({5})}, 0);
  BOOST_TEST(text_of(three->read(range(1, 4))) == "1 2 3 4 ");
  BOOST_TEST(text_of(three->read(range(2, 3))) == "2 3 4 ");
  BOOST_TEST(text_of(three->read(range(2, 2))) == "2 3 ");
  BOOST_TEST(text_of(three->peek(range(4, 2))) == "4 5 ");
  BOOST_TEST(three->read(range(2, 0)).count == 0U);
  BOOST_CHECK((three->chunk_shape() == Shape{3}));
}

BOOST_AUTO_TEST_CASE(absent_indices_are_nan) {
  const ArrayPtr reals = numbers<float>({0, 1, 2, 3, 4, 5}, {2, 3});
  const auto text = [](const Elements& elements) {
    std::string all;
    for (const float value : elements.values<float>()) all += fmt::format("{} ", value);
    return all;
  };
  const ArrayPtr some = reindexed(reals, 1, {2, kNoIndex, 0, kNoIndex});
  BOOST_CHECK((some->shape() == Shape{2, 4}));
  BOOST_TEST(text(read_all(*some)) == "2 nan 0 nan 5 nan 3 nan ");
  BOOST_TEST(text(some->read({{1, 1}, {1, 2}})) == "nan 3 ");
  BOOST_TEST(text(some->read({{0, 3}, {2, 1}})) == "nan nan ");
  BOOST_TEST(text(read_all(*reindexed(reals, 0, {kNoIndex, 1}))) == "nan nan nan 3 4 5 ");
}

BOOST_AUTO_TEST_CASE(texts_and_missing_values_go_along) {
  const ArrayPtr names = text_array({"a", "bb", ""});
  BOOST_CHECK((shown(*subset(names, 0, indices({2, 1, 1, 0}))) == Texts{"", "bb", "bb", "a"}));
  BOOST_CHECK((shown(*combined({names, names}, 0)) == Texts{"a", "bb", "", "a", "bb", ""}));
  const ArrayPtr marked = with_missing(matrix(), [](const Elements& elements, std::vector<uint8_t>& missing) {
    for (uint64_t i = 0; i < elements.count; ++i) missing[i] = elements.values<int32_t>()[i] == 2;
  });
  BOOST_CHECK((shown(*subset(marked, 1, indices({2, 1}))) == Texts{"NA", "1", "5", "4"}));
  BOOST_CHECK((shown(*permuted(marked, {1, 0})) == Texts{"0", "3", "1", "4", "NA", "5"}));
  BOOST_CHECK((shown(*combined({marked, marked}, 1))[2] == "NA"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs::takane
