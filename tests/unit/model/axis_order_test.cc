#include "formats/core/model/arrays/axis_order.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "formats/core/model/arrays/array.h"
#include "tests/unit/model/random_elements.h"

namespace {

using namespace plainfs;

// Returns the number of the stored element for each element of the array, one by one.
std::vector<uint64_t> places(const Shape& shape, const AxisOrder& order) {
  const Shape stored = stored_shape(shape, order);
  std::vector<uint64_t> found;
  Shape at(shape.size(), 0);
  for (uint64_t i = 0, count = element_count(shape); i < count; ++i) {
    uint64_t place = 0;
    for (size_t k = 0; k < order.size(); ++k) place = place * stored[k] + at[order[k]];
    found.push_back(place);
    for (size_t d = shape.size(); d-- > 0 && ++at[d] == shape[d];) at[d] = 0;
  }
  return found;
}

Elements expected(const DType& type, const Elements& stored, const Shape& shape, const AxisOrder& order) {
  Elements result = zero_elements(type, 0);
  for (const uint64_t place : places(shape, order)) append(type, result, stored, place, 1);
  return result;
}

BOOST_AUTO_TEST_SUITE(axis_orders)

BOOST_AUTO_TEST_CASE(every_permutation_moves_every_element_correctly) {
  Random random(7);
  for (const Shape& shape : {Shape{5}, Shape{3, 4}, Shape{33, 70}, Shape{1, 6}, Shape{2, 3, 4},
                             Shape{40, 1, 37}, Shape{3, 1, 2, 5}, Shape{0, 3}, Shape{2, 0, 2}}) {
    AxisOrder order(shape.size());
    std::iota(order.begin(), order.end(), uint64_t{0});
    do {
      for (const DType& type : sample_types()) {
        const Elements stored = random_elements(type, element_count(shape), random);
        BOOST_TEST_CONTEXT(type.name())
        BOOST_TEST(all_shown(type, transposed_back(type, stored, shape, order)) ==
                       all_shown(type, expected(type, stored, shape, order)),
                   boost::test_tools::per_element());
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

BOOST_AUTO_TEST_CASE(a_permutation_names_each_axis_once) {
  BOOST_TEST((reversed_axes(3) == AxisOrder{2, 1, 0}));
  BOOST_TEST(is_axis_order({1, 0, 2}, 3));
  BOOST_TEST(!is_axis_order({1, 1, 2}, 3));
  BOOST_TEST(!is_axis_order({0, 1}, 3));
  BOOST_TEST(!is_axis_order({0, 3, 1}, 3));
  BOOST_TEST((stored_shape({4, 5, 6}, {2, 0, 1}) == Shape{6, 4, 5}));
  BOOST_TEST((shape_before({6, 4, 5}, {2, 0, 1}) == Shape{4, 5, 6}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
