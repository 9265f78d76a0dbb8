#include "formats/core/frames/element.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/arrays/factor.h"
#include "tests/support/store_nodes.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs::frames {
namespace {

BOOST_AUTO_TEST_SUITE(categorical_groups)

BOOST_AUTO_TEST_CASE(codes_from_zero_give_labels_and_minus_one_is_missing) {
  TestContext context;
  MemoryGroup group("/obs/cat");
  group.add_text("categories", {"a", "b"}).add("codes", array_node<int8_t>({1, 0, -1}));
  BOOST_TEST(shown(*categorical_group(group, context)) == (Texts{"b", "a", "NA"}));
  BOOST_TEST(context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(codes_without_a_label_are_missing_and_reported_once) {
  TestContext context;
  MemoryGroup group("/obs/cat");
  group.add_text("categories", {"a"}).add("codes", array_node<int16_t>({0, 7, -3, 7}));
  BOOST_TEST(shown(*categorical_group(group, context)) == (Texts{"a", "NA", "NA", "NA"}));
  BOOST_TEST(context.warnings().size() == 1u);
  BOOST_TEST(context.warned("/obs/cat: code 7 is not below 1"));
}

BOOST_AUTO_TEST_CASE(levels_are_ordered_if_the_attribute_is_true) {
  TestContext context;
  const auto is_ordered = [&](const Json& ordered) {
    MemoryGroup group("/obs/cat");
    group.add_text("categories", {"a"}).add("codes", array_node<int8_t>({0}));
    group.set_attributes({{"ordered", ordered}});
    return factor_parts(*categorical_group(group, context))->is_ordered;
  };
  BOOST_TEST(is_ordered(Json(true)));
  BOOST_TEST(!is_ordered(Json(false)));
  BOOST_TEST(is_ordered(Json::Number{"1"}));
  BOOST_TEST(!is_ordered(Json::Number{"0"}));
  BOOST_TEST(!is_ordered(Json("yes")));
  BOOST_TEST(!are_ordered({}, "/c", context));
  BOOST_TEST(!are_ordered({{"ordered", damaged("cut")}}, "/c", context));
}

BOOST_AUTO_TEST_CASE(labels_may_be_numbers_and_may_be_missing) {
  TestContext context;
  MemoryGroup numbers("/n"), texts_with_missing("/t");
  numbers.add("categories", array_node<double>({0.5, 1e-5})).add("codes", array_node<int8_t>({1, 0}));
  BOOST_TEST(shown(*categorical_group(numbers, context)) == (Texts{"1e-05", "0.5"}));
  texts_with_missing.add("codes", array_node<int8_t>({1, 0}));
  const auto categories = texts_with_missing.add_group("categories");
  categories->set_attributes(
      {{"encoding-type", Json("nullable-string-array")}, {"encoding-version", Json("0.1.0")}});
  categories->add_text("values", {"a", ""}).add("mask", array_node<int8_t>({0, 1}));
  BOOST_TEST(shown(*categorical_group(texts_with_missing, context)) == (Texts{"NA", "a"}));
}

BOOST_AUTO_TEST_CASE(absent_or_non_list_parts_are_damage) {
  TestContext context;
  const auto error_of = [&](const MemoryGroup& group) {
    return message_of([&] { categorical_group(group, context)->check(); });
  };
  MemoryGroup none("/c");
  BOOST_TEST(error_of(none) == "/c: the codes of a categorical are missing");
  none.add("codes", array_node<int8_t>({0}));
  BOOST_TEST(error_of(none) == "/c: the categories of a categorical are missing");
  none.add_group("categories");
  BOOST_TEST(error_of(none) == "/c: the categories of a categorical are not a list");
  MemoryGroup reals("/c");
  reals.add("codes", array_node<double>({0})).add_text("categories");
  BOOST_TEST(error_of(reals).find("the codes of a categorical are") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(codes_from_one_have_zero_as_missing) {
  const Node codes = array_node<int32_t>({0, 1, 2});
  BOOST_TEST(shown(*codes_from(array_of(codes), 1)) == (Texts{"NA", "1", "2"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::frames
