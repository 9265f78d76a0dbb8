#include "formats/core/sparse/coordinate_source.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/arrays/derived_array.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

// 3 x 4, with an entry each.
CoordinateMatrix triplets(const std::vector<int32_t>& rows, const std::vector<int32_t>& columns,
                          ArrayPtr values) {
  return {3, 4, numbers(rows), numbers(columns), std::move(values), nullptr, nullptr};
}

template <class T>
std::vector<T> values_of(const EntryRun& run) {
  const auto values = run.value.values<T>();
  return {values.begin(), values.end()};
}

using Places = std::vector<uint64_t>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(coordinate_sources, TestContext)

BOOST_AUTO_TEST_CASE(entries_are_in_the_order_of_columns_and_rows) {
  const auto source = coordinate_source(triplets({2, 0, 1}, {3, 3, 0}, numbers<double>({1, 2, 3})));
  BOOST_TEST(source->lengths(0, 4) == (Places{1, 0, 0, 2}), boost::test_tools::per_element());
  const EntryRun run = source->read(0, 4);
  BOOST_TEST(run.pointer == (Places{0, 1, 1, 1, 3}), boost::test_tools::per_element());
  BOOST_TEST(run.index == (Places{1, 0, 2}), boost::test_tools::per_element());
  BOOST_TEST(values_of<double>(run) == (std::vector<double>{3, 2, 1}), boost::test_tools::per_element());
  const EntryRun last = source->read(3, 1);
  BOOST_TEST(last.pointer == (Places{0, 2}), boost::test_tools::per_element());
  BOOST_TEST(last.index == (Places{0, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(entries_at_one_place_are_their_sum) {
  const auto source = coordinate_source(triplets({1, 0, 1, 1}, {2, 2, 2, 2}, numbers<double>({1, 5, 2, 4})));
  BOOST_TEST(source->lengths(0, 4) == (Places{0, 0, 2, 0}), boost::test_tools::per_element());
  BOOST_TEST(values_of<double>(source->read(2, 1)) == (std::vector<double>{5, 7}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(truth_values_at_one_place_are_true_if_any_is) {
  const auto truth = [](const std::vector<uint8_t>& values) {
    return mapped(numbers(values), number_type(Kind::boolean, 1),
                  [](Elements elements, const Box&) { return elements; });
  };
  const auto source = coordinate_source(triplets({0, 0, 1, 1}, {0, 0, 1, 1}, truth({1, 1, 0, 0})));
  BOOST_TEST(values_of<uint8_t>(source->read(0, 2)) == (std::vector<uint8_t>{1, 0}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(overflowing_sum_is_unsupported) {
  const auto source = coordinate_source(triplets({0, 0}, {0, 0}, numbers<int32_t>({INT32_MAX, 1})));
  BOOST_CHECK_EXCEPTION(source->read(0, 1), Error, mentions("the sum of repeated entries"));
}

BOOST_AUTO_TEST_CASE(a_symmetric_matrix_has_both_triangles) {
  CoordinateMatrix lower{
      3,       3,      numbers<int32_t>({0, 2, 2}), numbers<int32_t>({0, 0, 1}), numbers<double>({1, 2, 3}),
      nullptr, nullptr};
  lower.is_symmetric = true;
  const EntryRun run = coordinate_source(lower)->read(0, 3);
  BOOST_TEST(run.pointer == (Places{0, 2, 3, 5}), boost::test_tools::per_element());
  BOOST_TEST(run.index == (Places{0, 2, 2, 0, 1}), boost::test_tools::per_element());
  BOOST_TEST(values_of<double>(run) == (std::vector<double>{1, 2, 3, 2, 3}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_entry_outside_of_the_matrix_is_damage) {
  const ArrayPtr one = numbers<double>({1});
  BOOST_CHECK_EXCEPTION(coordinate_source(triplets({3}, {0}, one))->read(0, 1), Error,
                        mentions("row 3 is not below 3"));
  BOOST_CHECK_EXCEPTION(coordinate_source(triplets({0}, {4}, one))->lengths(0, 4), Error,
                        mentions("column 4 is not below 4"));
  BOOST_CHECK_EXCEPTION(coordinate_source(triplets({0, 1}, {0}, one))->read(0, 1), Error,
                        mentions("1 values and 2 indices"));
}

BOOST_AUTO_TEST_CASE(lists_by_column_keep_names_and_sides) {
  CoordinateMatrix matrix = triplets({2, 0}, {3, 1}, numbers<double>({1, 2}));
  matrix.row_names = text_array({"a", "b", "c"});
  const SparseMatrix lists = by_columns(matrix, *this);
  BOOST_TEST(lists.rows == 3u);
  BOOST_TEST(lists.columns == 4u);
  BOOST_TEST(lists.row_names == matrix.row_names);
  const SparseMatrix generated = evaluated(lists);
  BOOST_TEST(generated.pointer->count() == 5u);
  BOOST_TEST(generated.index->count() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
