#include "formats/annotated/cell_groups.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/annotated/annotated_matrices.h"
#include "formats/core/model/arrays/counted_times.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/unit/anndata/anndata_store.h"

namespace plainfs::anndata {
namespace {

constexpr uint32_t kNone = CellGroups::kNone;
using Cells = std::vector<uint32_t>;

CellGroups groups_of(const ArrayPtr& column) {
  return *cell_groups(*column);
}

// Returns `values` with NA at `holes`.
ArrayPtr with_holes(ArrayPtr values, const std::vector<uint64_t>& holes) {
  return with_missing(std::move(values), [holes](const Elements&, std::vector<uint8_t>& missing) {
    for (const uint64_t hole : holes) missing[hole] = 1;
  });
}

template <class T>
ArrayPtr of_type(const std::vector<T>& values, DType type) {
  type.size = sizeof(T);
  return std::make_shared<MemoryArray>(type, Shape{values.size()}, elements_of(values));
}

BOOST_AUTO_TEST_SUITE(groups_of_cells)

BOOST_AUTO_TEST_CASE(unused_categories_are_left_out_in_order) {
  TestContext context;
  const ArrayPtr column = factor(numbers<int8_t>({2, 0, -1, 2, 3}), text_array({"T", "unused", "B", "a/b"}),
                                 0, "/obs/type", context);
  BOOST_TEST((levels_of(*column) == ColumnLevels::few));
  const CellGroups groups = groups_of(column);
  BOOST_TEST(groups.levels == (Texts{"T", "B", "a/b"}));
  BOOST_TEST(groups.cells == (Cells{1, 0, kNone, 1, 2}));
}

BOOST_AUTO_TEST_CASE(level_named_NA_counts_and_missing_label_does_not) {
  TestContext context;
  const ArrayPtr named = factor(numbers<int8_t>({1, -1, 1}), text_array({"b", "NA"}), 0, "x", context);
  BOOST_TEST(groups_of(named).levels == (Texts{"NA"}));
  BOOST_TEST(groups_of(named).cells == (Cells{0, kNone, 0}));
  const ArrayPtr missing =
      factor(numbers<int8_t>({1, 0, 1}), with_holes(text_array({"b", "NA"}), {1}), 0, "x", context);
  BOOST_TEST(groups_of(missing).levels == (Texts{"b"}));
  BOOST_TEST(groups_of(missing).cells == (Cells{kNone, 0, kNone}));
}

BOOST_AUTO_TEST_CASE(categories_may_be_numbers_or_equal) {
  TestContext context;
  const ArrayPtr column =
      factor(numbers<uint8_t>({1, 2, 1, 3}), numbers<double>({2.5, 10, 2.5}), 1, "x", context);
  BOOST_TEST(groups_of(column).levels == (Texts{"2.5", "10", "2.5"}));
  BOOST_TEST(groups_of(column).cells == (Cells{0, 1, 0, 2}));
}

BOOST_AUTO_TEST_CASE(code_without_category_is_missing) {
  TestContext context;
  const ArrayPtr column = factor(numbers<int8_t>({7, 0}), text_array({"a"}), 0, "/obs/x", context);
  BOOST_TEST(groups_of(column).cells == (Cells{kNone, 0}));
  BOOST_TEST(context.warned("/obs/x: code 7 is not below 1"));
}

BOOST_AUTO_TEST_CASE(truth_values_are_FALSE_before_TRUE) {
  DType logical = number_type(Kind::logical, 4);
  const ArrayPtr column = with_holes(of_type<int32_t>({1, 0, 7, 0}, logical), {3});
  BOOST_TEST((levels_of(*column) == ColumnLevels::few));
  BOOST_TEST(groups_of(column).levels == (Texts{"FALSE", "TRUE"}));
  BOOST_TEST(groups_of(column).cells == (Cells{1, 0, 1, kNone}));
  BOOST_TEST(groups_of(of_type<uint8_t>({2, 1}, number_type(Kind::boolean, 1))).levels == (Texts{"TRUE"}));
}

// More cells than are read at a time, so that a level first appears in a later piece.
BOOST_AUTO_TEST_CASE(texts_are_sorted_by_bytes) {
  std::vector<std::string> values(70000, "k8");
  values[1] = "k10";
  values[69999] = "";
  values[69998] = "\xc3\xa9";
  const ArrayPtr column = with_holes(text_array(values), {0});
  BOOST_TEST((levels_of(*column) == ColumnLevels::texts));
  const CellGroups groups = groups_of(column);
  BOOST_TEST(groups.levels == (Texts{"", "k10", "k8", "\xc3\xa9"}));
  BOOST_TEST(groups.cells.size() == 70000u);
  BOOST_TEST(groups.cells[0] == kNone);
  BOOST_TEST(groups.cells[1] == 1u);
  BOOST_TEST(groups.cells[2] == 2u);
  BOOST_TEST(groups.cells[69998] == 3u);
  BOOST_TEST(groups.cells[69999] == 0u);
}

BOOST_AUTO_TEST_CASE(numbers_are_sorted_with_one_zero) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const ArrayPtr column = numbers<double>({10, -0.0, nan, 9.5, 0, -inf, 10, inf});
  BOOST_TEST((levels_of(*column) == ColumnLevels::numbers));
  BOOST_TEST(groups_of(column).levels == (Texts{"-Inf", "0", "9.5", "10", "Inf"}));
  BOOST_TEST(groups_of(column).cells == (Cells{3, 1, kNone, 2, 1, 0, 3, 4}));
  BOOST_TEST(groups_of(numbers<uint64_t>({UINT64_MAX, 0})).levels == (Texts{"0", "18446744073709551615"}));
  BOOST_TEST(groups_of(of_type<uint16_t>({0x3c00, 0x8000}, number_type(Kind::real, 2))).levels ==
             (Texts{"0", "1"}));
}

BOOST_AUTO_TEST_CASE(times_of_r_are_sorted_and_days_lose_their_fraction) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const ArrayPtr days = counted_times(numbers<double>({1.5, 1, nan, inf, -0.5}), TimeUnit::day, nullptr);
  BOOST_TEST((levels_of(*days) == ColumnLevels::numbers));
  BOOST_TEST(groups_of(days).levels == (Texts{"1969-12-31", "1970-01-02", "Inf"}));
  BOOST_TEST(groups_of(days).cells == (Cells{1, 1, kNone, 2, 0}));
  const ArrayPtr instants = counted_times(numbers<double>({1.5, 1}), TimeUnit::second, nullptr);
  BOOST_TEST(groups_of(instants).levels == (Texts{"1970-01-01T00:00:01Z", "1970-01-01T00:00:01.5Z"}));
}

BOOST_AUTO_TEST_CASE(named_values_are_sorted_by_value) {
  DType named = number_type(Kind::enumeration, 1);
  named.members = {{"late", 2}, {"early", 1}};
  const ArrayPtr column = of_type<int8_t>({2, 1, 2}, named);
  BOOST_TEST((levels_of(*column) == ColumnLevels::few));
  BOOST_TEST(groups_of(column).levels == (Texts{"early", "late"}));
}

BOOST_AUTO_TEST_CASE(a_column_without_a_value_has_no_levels) {
  const CellGroups groups = groups_of(with_holes(text_array({"a", "b"}), {0, 1}));
  BOOST_TEST(groups.levels.empty());
  BOOST_TEST(groups.cells == (Cells{kNone, kNone}));
  BOOST_TEST(groups_of(numbers<double>({})).cells.empty());
}

BOOST_AUTO_TEST_CASE(lists_and_records_have_no_levels) {
  const ArrayPtr pairs = std::make_shared<BrokenArray>(number_type(Kind::complex, 16), damaged("never read"));
  BOOST_TEST((levels_of(*pairs) == ColumnLevels::none));
  BOOST_TEST(!has_listed_groups(*pairs));
  const ArrayPtr complex =
      std::make_shared<MemoryArray>(number_type(Kind::complex, 16), Shape{0}, Elements{});
  BOOST_CHECK_EXCEPTION(groups_of(complex), Error, mentions("has no levels"));
}

BOOST_AUTO_TEST_CASE(too_many_levels_are_not_returned) {
  TestContext context;
  for (const ArrayPtr& column :
       {text_array({"a", "b", "c"}), numbers<int32_t>({1, 2, 3}),
        factor(numbers<int8_t>({0, 1, 2}), text_array({"a", "b", "c"}), 0, "x", context)}) {
    BOOST_TEST(!cell_groups(*column, 2));
    BOOST_TEST(cell_groups(*column, 3).has_value());
  }
}

BOOST_AUTO_TEST_CASE(ten_thousand_texts_are_listed_and_numbers_are_not) {
  std::vector<std::string> values;
  for (int i = 0; i < 10000; ++i) values.push_back(std::to_string(i));
  BOOST_TEST(has_listed_groups(*text_array(values)));
  values.emplace_back("one more");
  BOOST_TEST(!has_listed_groups(*text_array(values)));
  BOOST_TEST(!has_listed_groups(*numbers<int32_t>({1, 1})));
  BOOST_TEST(has_listed_groups(BrokenArray(text_type(), damaged("gone"))));
}

BOOST_AUTO_TEST_CASE(unreadable_column_is_an_error) {
  TestContext context;
  const ArrayPtr column =
      factor(std::make_shared<BrokenArray>(number_type(Kind::integer, 1), damaged("gone")), text_array({"a"}),
             0, "x", context);
  BOOST_CHECK_EXCEPTION(groups_of(column), Error, mentions("gone"));
}

BOOST_AUTO_TEST_CASE(matrix_reports_whether_its_cells_have_columns) {
  AnnDataStore store;
  const auto has_obs = [&] {
    return annotated_matrix_of(store.refined_root(), store.context).value().has_obs;
  };
  BOOST_TEST(!has_obs());
  set_attribute(*store.obs, "column-order", texts({"type"}));
  store.obs->add_text("type", {"a", "b", "a"});
  BOOST_TEST(has_obs());
  BOOST_TEST(!annotated_matrix_of(Node{}, store.context));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::anndata
