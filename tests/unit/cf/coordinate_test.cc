#include "formats/core/cf/coordinate.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/core/cf/decoded.h"
#include "formats/core/cf/long_table.h"
#include "formats/core/text/json.h"

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
  CfDataset generated;
  generated.place = "/";
  generated.variables.push_back(doubles("lat", {47.25, 47.5, 47.75}, {}));
  generated.variables.push_back(doubles("time", {0, 6, 12}, {{"units", Json("hours since 2020-01-01")}}));
  return generated;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(coordinate)

BOOST_AUTO_TEST_CASE(value_as_tables_show_it_is_found) {
  BOOST_TEST((find_along(dataset(), "lat", 3, "47.5").indices == std::vector<uint64_t>{1}));
  BOOST_TEST((find_along(dataset(), "lat", 3, "47.50").indices == std::vector<uint64_t>{1}));
  BOOST_TEST((find_along(dataset(), "time", 3, "2020-01-01T12:00:00").indices == std::vector<uint64_t>{2}));
  BOOST_TEST((find_along(dataset(), "time", 3, "2020-01-01T06").indices == std::vector<uint64_t>{1}));
}

BOOST_AUTO_TEST_CASE(missing_value_names_the_nearest) {
  const FoundIndices found = find_along(dataset(), "lat", 3, "47.6");
  BOOST_TEST(found.indices.empty());
  BOOST_TEST(found.nearest == "47.5");
  BOOST_TEST(find_along(dataset(), "time", 3, "2020-01-01T07").nearest == "2020-01-01T06:00:00");
}

BOOST_AUTO_TEST_CASE(each_number_of_an_unsorted_list_is_missing) {
  const std::vector<double> numbers{5, -1, 3, 0, 7, std::nan("")};
  const auto missing = [&](Json list) {
    const CfVariable variable = doubles("v", numbers, {{"missing_value", std::move(list)}});
    const Elements read = variable.decoded->read({{0}, {numbers.size()}});
    std::vector<bool> found;
    for (size_t i = 0; i < numbers.size(); ++i) found.push_back(read.is_missing(i));
    return found;
  };
  BOOST_TEST(
      (missing(parse_json("[7, -0.0, 5, 7]")) == std::vector<bool>{true, false, false, true, true, false}));
  BOOST_TEST(
      (missing(parse_json("[3, \"NaN\", -1]")) == std::vector<bool>{false, true, true, false, false, true}));
}

BOOST_AUTO_TEST_CASE(tilde_takes_the_nearest_and_number_sign_the_place) {
  BOOST_TEST((find_along(dataset(), "lat", 3, "~99").indices == std::vector<uint64_t>{2}));
  BOOST_TEST((find_along(dataset(), "time", 3, "~2019-05-01").indices == std::vector<uint64_t>{0}));
  BOOST_TEST((find_along(dataset(), "lat", 3, "#2").indices == std::vector<uint64_t>{2}));
  BOOST_TEST(find_along(dataset(), "lat", 3, "#3").indices.empty());
  BOOST_TEST((find_along(dataset(), "other", 3, "1").indices == std::vector<uint64_t>{1}));
}

BOOST_AUTO_TEST_CASE(repeated_value_has_all_of_its_elements) {
  CfDataset overlap;
  overlap.variables.push_back(doubles("lat", {47.5, 1, 47.5}, {}));
  overlap.variables.push_back(doubles("time", {0, 6, 6}, {{"units", Json("hours since 2020-01-01")}}));
  using Indices = std::vector<uint64_t>;
  BOOST_TEST((find_along(overlap, "lat", 3, "47.5").indices == Indices{0, 2}));
  BOOST_TEST((find_along(overlap, "lat", 3, "47.50").indices == Indices{0, 2}));
  BOOST_TEST((find_along(overlap, "lat", 3, "~47").indices == Indices{0, 2}));
  BOOST_TEST((find_along(overlap, "lat", 3, "#2").indices == Indices{2}));
  BOOST_TEST((find_along(overlap, "time", 3, "2020-01-01T06").indices == Indices{1, 2}));
  BOOST_TEST((find_along(overlap, "time", 3, "~2020-01-02").indices == Indices{1, 2}));
}

BOOST_AUTO_TEST_CASE(text_that_looks_like_a_number_is_found_first) {
  CfDataset sites;
  CfVariable variable{"s", {"s"}, text_array({"a", "#0", "~a"}), {}, nullptr};
  variable.decoded = cf_decoded(variable, nullptr);
  sites.variables.push_back(std::move(variable));
  using Indices = std::vector<uint64_t>;
  BOOST_TEST((find_along(sites, "s", 3, "#0").indices == Indices{1}));
  BOOST_TEST((find_along(sites, "s", 3, "#2").indices == Indices{2}));
  BOOST_TEST((find_along(sites, "s", 3, "~a").indices == Indices{2}));
  BOOST_TEST((find_along(sites, "s", 3, "a").indices == Indices{0}));
}

BOOST_AUTO_TEST_CASE(long_table_takes_chosen_elements_in_order) {
  CfDataset all = dataset();
  const CfVariable& lat = all.variables[0];
  const auto chosen = std::make_shared<const std::vector<uint64_t>>(std::vector<uint64_t>{0, 2});
  const Table table = long_table(all, lat, whole(lat.decoded->shape()), {chosen});
  BOOST_TEST(table.rows == 2u);
  for (const Column& column : table.columns) {
    const Elements values = read_all(*column.values);
    BOOST_TEST(values.values<double>()[0] == 47.25);
    BOOST_TEST(values.values<double>()[1] == 47.75);
  }
}

BOOST_AUTO_TEST_CASE(labels_of_all_elements_have_the_values_of_the_coordinate) {
  CfDataset all = dataset();
  const CfVariable& lat = all.variables[0];
  const auto labels = [&](Box box) { return long_table(all, lat, std::move(box)).columns[0].values; };
  const ArrayPtr every = labels(whole(lat.decoded->shape())), some = labels({{1}, {2}}),
                 none = labels({{0}, {0}});
  BOOST_TEST(&every->whole_column() == &lat.decoded->whole_column());
  BOOST_TEST(&some->whole_column() == some.get());
  BOOST_TEST(&none->whole_column() == none.get());
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
