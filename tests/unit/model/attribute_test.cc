#include "formats/core/model/elements/attribute.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"

namespace plainfs {

BOOST_AUTO_TEST_SUITE(attribute)

BOOST_AUTO_TEST_CASE(value_is_unpacked_only_on_request_and_kept) {
  int calls = 0;
  const Attributes attributes{{"large", [&] { return ++calls, Json::List{Json::of(int64_t{7})}; }, nullptr},
                              {"small", "text"}};
  BOOST_TEST(attributes.has("large"));
  BOOST_TEST(*attributes.text("small") == "text");
  BOOST_TEST(!attributes[0].known());
  BOOST_TEST(calls == 0);
  attributes[0].unpacked();
  attributes[0].unpacked();
  BOOST_TEST(calls == 2);
  const Attributes copy = attributes;
  BOOST_TEST(*attributes.number("large") == 7);
  BOOST_TEST(*copy.number("large") == 7);
  copy[0].unpacked();
  BOOST_TEST(calls == 3);
}

BOOST_AUTO_TEST_CASE(unreadable_attribute_is_absent_only_for_readable_lookups) {
  const Attributes attributes{{"a", damaged("cut")}, {"a", Json::List{"x"}}, {"b", unreadable("a disk")}};
  BOOST_CHECK_EXCEPTION(attributes.find("a"), Error, mentions("attribute a: cut"));
  BOOST_TEST(attributes.readable().text("a") == "x");
  BOOST_TEST(attributes.readable().text("c") == "");
  BOOST_CHECK_EXCEPTION(attributes.readable().find("b"), Error, mentions("attribute b: a disk"));
}

BOOST_AUTO_TEST_CASE(single_number_has_its_stored_precision) {
  const auto single = std::make_shared<const DType>(number_type(Kind::real, 4));
  const Attributes attributes{{"a", Json::Number{"0.1"}, single}, {"b", Json::Number{"0.1"}}};
  BOOST_TEST(*attributes.number("a") == 0.1f);
  BOOST_TEST(*attributes.number("b") == 0.1);
  BOOST_TEST(!attributes.number("c"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
