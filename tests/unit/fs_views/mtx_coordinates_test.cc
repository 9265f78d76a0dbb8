#include "fs/views/matrix/mtx_lines.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {
namespace {

CoordinateMatrix small_matrix() {
  CoordinateMatrix matrix;
  matrix.rows = 3;
  matrix.columns = 4;
  matrix.row = numbers<int64_t>({2, 0, 0});
  matrix.column = numbers<uint8_t>({3, 1, 1});
  matrix.value = numbers<double>({0.5, 0, std::nan("")});
  return matrix;
}

std::string text_of(const CoordinateMatrix& matrix) {
  TestContext context;
  return whole_text(mtx_coordinates(matrix, context), context);
}

std::string error_of(const CoordinateMatrix& matrix) {
  return message_of([&] { text_of(matrix); });
}

BOOST_AUTO_TEST_SUITE(mtx_coordinates_view)

BOOST_AUTO_TEST_CASE(entries_stay_as_stored_and_count_from_one) {
  BOOST_TEST(text_of(small_matrix()) ==
             "%%MatrixMarket matrix coordinate real general\n3 4 3\n3 4 0.5\n1 2 0\n1 2 NaN\n");
}

BOOST_AUTO_TEST_CASE(whole_weights_are_integers) {
  CoordinateMatrix matrix = small_matrix();
  matrix.value = numbers<int16_t>({-1, 2, 3});
  BOOST_TEST(text_of(matrix) ==
             "%%MatrixMarket matrix coordinate integer general\n3 4 3\n3 4 -1\n1 2 2\n1 2 3\n");
}

BOOST_AUTO_TEST_CASE(a_matrix_without_entries_is_a_header) {
  CoordinateMatrix matrix = small_matrix();
  matrix.row = matrix.column = numbers<int64_t>({});
  matrix.value = numbers<double>({});
  BOOST_TEST(text_of(matrix) == "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
}

BOOST_AUTO_TEST_CASE(lists_of_different_lengths_are_damage) {
  CoordinateMatrix matrix = small_matrix();
  matrix.value = numbers<double>({1, 2});
  BOOST_TEST(error_of(matrix) == "a sparse matrix has 2 values and 3 indices");
}

BOOST_AUTO_TEST_CASE(an_index_outside_the_matrix_is_damage) {
  CoordinateMatrix matrix = small_matrix();
  matrix.column = numbers<uint8_t>({3, 4, 1});
  BOOST_TEST(error_of(matrix) == "column 4 is not below 4");
  matrix = small_matrix();
  matrix.row = numbers<int64_t>({2, -1, 0});
  BOOST_TEST(error_of(matrix) == "row -1 is not below 3");
}

BOOST_AUTO_TEST_CASE(non_numeric_weights_are_unsupported) {
  CoordinateMatrix matrix = small_matrix();
  matrix.value = text_array({"a", "b", "c"});
  BOOST_TEST(error_of(matrix) == "a sparse matrix of text");
}

BOOST_AUTO_TEST_CASE(any_slice_of_many_blocks_equals_the_whole) {
  std::mt19937_64 random(5);
  CoordinateMatrix matrix;
  matrix.rows = matrix.columns = 100'000;
  std::vector<uint32_t> rows, columns;
  std::vector<float> weights;
  std::string want = "%%MatrixMarket matrix coordinate real general\n100000 100000 50000\n";
  for (int i = 0; i < 50'000; ++i) {
    rows.push_back(static_cast<uint32_t>(random() % 100'000));
    columns.push_back(static_cast<uint32_t>(random() % 100'000));
    weights.push_back(static_cast<float>(random() % 64) / 4);
    want += fmt::format("{} {} {}\n", rows.back() + 1, columns.back() + 1, weights.back());
  }
  matrix.row = numbers(rows);
  matrix.column = numbers(columns);
  matrix.value = numbers(weights);
  TestContext context;
  TextFile file(mtx_coordinates(matrix, context), context);
  BOOST_TEST((whole_text(file) == want));
  BOOST_TEST(slices_match(file, want, random, 200));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
