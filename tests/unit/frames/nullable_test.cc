#include "formats/core/frames/element.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/sample_arrays.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs::frames {
namespace {

BOOST_AUTO_TEST_SUITE(nullable_arrays)

BOOST_AUTO_TEST_CASE(values_are_missing_where_the_mask_is_set) {
  const ArrayPtr values = array_of(array_node<int16_t>({5, 6, 7}));
  const ArrayPtr array = nullable(values, array_of(array_node<int8_t>({0, 1, 0})));
  BOOST_TEST(shown(*array) == (Texts{"5", "NA", "7"}));
  BOOST_TEST(array->read(range(2, 1)).missing.empty());
  BOOST_TEST((array->dtype() == values->dtype()));
}

BOOST_AUTO_TEST_CASE(a_mask_of_another_length_or_type_is_damage) {
  const ArrayPtr values = array_of(array_node<int16_t>({5, 6}));
  const auto error_of = [&](const Node& mask) {
    return message_of([&] { nullable(values, array_of(mask))->check(); });
  };
  BOOST_TEST(error_of(array_node<int8_t>({0})) == "2 values, but a mask of 1");
  BOOST_TEST(error_of(array_node<double>({0, 1})).find("the mask is") == 0u);
  const ArrayPtr short_mask = nullable(values, array_of(array_node<int8_t>({0})));
  BOOST_TEST(message_of([&] { short_mask->read(range(0, 1)); }) == "2 values, but a mask of 1");
}

BOOST_AUTO_TEST_CASE(absent_chunks_of_values_do_not_hide_the_mask) {
  // All values are absent, so that they repeat. The mask does not.
  class Absent : public MemoryArray {
   public:
    Absent() : MemoryArray(number_type(Kind::integer, 4), {2}, elements_of<int32_t>({0, 0})) {}
    std::optional<Elements> repeated(const Box&) const override { return elements_of<int32_t>({0}); }
  };
  const ArrayPtr array = nullable(std::make_shared<Absent>(), array_of(array_node<int8_t>({0, 1})));
  BOOST_TEST(!array->repeated(range(0, 2)).has_value());
}

BOOST_AUTO_TEST_CASE(a_group_needs_both_parts) {
  MemoryGroup group("/obs/n");
  BOOST_TEST(message_of([&] { nullable_group(group)->check(); }) ==
             "/obs/n: the values of a nullable array are missing");
  group.add("values", array_node<int32_t>({1}));
  BOOST_TEST(message_of([&] { nullable_group(group)->check(); }) ==
             "/obs/n: the mask of a nullable array is missing");
  group.add("mask", array_node<int8_t>({1}));
  BOOST_TEST(shown(*nullable_group(group)) == (Texts{"NA"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::frames
