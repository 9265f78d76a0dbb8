#include "formats/core/frames/data_frame.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/elements/elements.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/store_nodes.h"

namespace plainfs::frames {
namespace {

// Three compounds of a number and a list of two.
ArrayPtr compounds() {
  const DType number = number_type(Kind::integer, 4);
  const DType type = packed_compound_type({{"n", number}, {"xy", array_type(number, {2})}});
  Elements pairs;
  pairs.count = 3;
  pairs.children.push_back(elements_of<int32_t>({1, 2, 3, 4, 5, 6}));
  Elements elements;
  elements.count = 3;
  elements.children = {elements_of<int32_t>({7, 8, 9}), std::move(pairs)};
  return std::make_shared<MemoryArray>(type, Shape{3}, std::move(elements));
}

BOOST_AUTO_TEST_SUITE(fields_of_compounds)

BOOST_AUTO_TEST_CASE(a_field_is_an_array_of_its_values) {
  const ArrayPtr field = field_of(compounds(), 0);
  BOOST_TEST(field->shape() == Shape{3});
  BOOST_TEST(shown(*field) == (Texts{"7", "8", "9"}));
}

BOOST_AUTO_TEST_CASE(a_field_of_lists_adds_an_axis) {
  const ArrayPtr field = field_of(compounds(), 1);
  BOOST_TEST(field->shape() == (Shape{3, 2}));
  BOOST_TEST(field->chunk_shape() == (Shape{3, 2}));
  BOOST_TEST(shown(*field) == (Texts{"1", "2", "3", "4", "5", "6"}));
  const Elements part = field->read({{1, 1}, {2, 1}});
  BOOST_TEST(part.count == 2u);
  BOOST_TEST(part.values<int32_t>()[0] == 4);
  BOOST_TEST(part.values<int32_t>()[1] == 6);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::frames
