#include "formats/core/cf/coordinate.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/cf/decoded.h"
#include "formats/core/cf/long_table.h"

namespace plainfs {
namespace {

CfVariable doubles(std::string name, const std::vector<double>& values, Attributes attributes) {
  Elements elements = zero_elements(number_type(Kind::real, 8), values.size());
  std::copy(values.begin(), values.end(), elements.mutable_values<double>().begin());
  CfVariable variable{name, {name}, nullptr, std::move(attributes), nullptr};
  variable.values =
      std::make_shared<MemoryArray>(number_type(Kind::real, 8), Shape{values.size()}, std::move(elements));
  variable.decoded = cf_decoded(variable, nullptr);
  return variable;
}

CfDataset dataset() {
  CfDataset made;
  made.place = "/";
  made.variables.push_back(doubles("lat", {47.25, 47.5, 47.75}, {}));
  made.variables.push_back(doubles("time", {0, 6, 12}, {{"units", Json("hours since 2020-01-01")}}));
  return made;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(coordinate)

BOOST_AUTO_TEST_CASE(value_as_tables_show_it_is_found) {
  BOOST_TEST(*find_along(dataset(), "lat", 3, "47.5").index == 1u);
  BOOST_TEST(*find_along(dataset(), "lat", 3, "47.50").index == 1u);
  BOOST_TEST(*find_along(dataset(), "time", 3, "2020-01-01T12:00:00").index == 2u);
  BOOST_TEST(*find_along(dataset(), "time", 3, "2020-01-01T06").index == 1u);
}

BOOST_AUTO_TEST_CASE(missing_value_names_the_nearest) {
  const FoundIndex found = find_along(dataset(), "lat", 3, "47.6");
  BOOST_TEST(!found.index);
  BOOST_TEST(found.nearest == "47.5");
  BOOST_TEST(find_along(dataset(), "time", 3, "2020-01-01T07").nearest == "2020-01-01T06:00:00");
}

BOOST_AUTO_TEST_CASE(tilde_takes_the_nearest_and_number_sign_the_place) {
  BOOST_TEST(*find_along(dataset(), "lat", 3, "~99").index == 2u);
  BOOST_TEST(*find_along(dataset(), "time", 3, "~2019-05-01").index == 0u);
  BOOST_TEST(*find_along(dataset(), "lat", 3, "#2").index == 2u);
  BOOST_TEST(!find_along(dataset(), "lat", 3, "#3").index);
  BOOST_TEST(*find_along(dataset(), "other", 3, "1").index == 1u);
}

BOOST_AUTO_TEST_CASE(long_table_of_a_box_repeats_labels) {
  CfDataset all = dataset();
  CfVariable variable{"v", {"time", "lat"}, nullptr, {}, nullptr};
  Elements elements = zero_elements(number_type(Kind::integer, 4), 9);
  for (int i = 0; i < 9; ++i) elements.mutable_values<int32_t>()[static_cast<size_t>(i)] = i;
  variable.values =
      std::make_shared<MemoryArray>(number_type(Kind::integer, 4), Shape{3, 3}, std::move(elements));
  variable.decoded = cf_decoded(variable, nullptr);
  const Table table = long_table(all, variable, {{1, 1}, {2, 2}});
  BOOST_TEST(table.rows == 4u);
  const Elements lat = read_all(*table.columns[1].values), values = read_all(*table.columns[2].values);
  const std::vector<double> labels(lat.values<double>().begin(), lat.values<double>().end());
  BOOST_TEST(labels == (std::vector<double>{47.5, 47.75, 47.5, 47.75}), boost::test_tools::per_element());
  const std::vector<int32_t> numbers(values.values<int32_t>().begin(), values.values<int32_t>().end());
  BOOST_TEST(numbers == (std::vector<int32_t>{4, 5, 7, 8}), boost::test_tools::per_element());
  BOOST_TEST(table.columns[0].values->read(range(3, 1)).text(0) == "2020-01-01T12:00:00");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
