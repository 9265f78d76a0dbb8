#include "fs/serve/http/query.h"

#include <boost/test/unit_test.hpp>

namespace plainfs::serve {
namespace {

BOOST_AUTO_TEST_SUITE(query)

BOOST_AUTO_TEST_CASE(values_are_decoded_and_empty_ones_absent) {
  const Query query("page&color=CD4+T%2B&split=&from=12&from=13");
  BOOST_TEST(query.has("page"));
  BOOST_TEST(!query.has("pag"));
  BOOST_TEST(*query.value("color") == "CD4 T+");
  BOOST_TEST(!query.value("split"));
  BOOST_TEST(!query.value("page"));
  BOOST_TEST(*query.number("from") == 12U);
}

BOOST_AUTO_TEST_CASE(invalid_number_is_absent) {
  for (const char* const text :
       {"from=-1", "from=1x", "from=", "from", "from=1e3", "from=99999999999999999999"})
    BOOST_TEST(!Query(text).number("from"), text);
}

BOOST_AUTO_TEST_CASE(decimal_is_a_finite_number) {
  BOOST_TEST(*Query("min=-1.5e2").decimal("min") == -150);
  for (const char* const text : {"min=nan", "min=inf", "min=1x", "min=", "min", "max=1"})
    BOOST_TEST(!Query(text).decimal("min"), text);
}

BOOST_AUTO_TEST_CASE(new_value_replaces_all_of_its_name) {
  const Query query("page&a=1&b=2&a=3");
  BOOST_TEST(query.with("a", "x y").href() == "?page&b=2&a=x%20y");
  BOOST_TEST(query.with("a", "").href() == "?page&b=2");
  BOOST_TEST(Query("").href() == "?");
  BOOST_TEST(Query("x=<\"&'>").href() == "?x=%3C%22&%27%3E");
}

BOOST_AUTO_TEST_CASE(form_sends_values_without_a_field) {
  const auto rest = Query("page&a=1&b=2").rest({"a"});
  BOOST_TEST_REQUIRE(rest.size() == 2U);
  BOOST_TEST((rest[0].first == "page" && rest[0].second.empty()));
  BOOST_TEST((rest[1].first == "b" && rest[1].second == "2"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
