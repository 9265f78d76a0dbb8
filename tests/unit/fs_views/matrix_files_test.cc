#include "fs/views/matrix/matrix_files.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

using Dense = std::vector<std::vector<int64_t>>;  // rows

// Returns random entries with some at one place, in any order within a row or column, and their sums.
std::pair<SparseMatrix, Dense> random_matrix(uint64_t rows, uint64_t columns, bool by_row,
                                             std::mt19937_64& random) {
  Dense dense(rows, std::vector<int64_t>(columns));
  SparseMatrix matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.by_row = by_row;
  std::vector<int64_t> values;
  std::vector<uint32_t> index;
  std::vector<uint64_t> pointer{0};
  for (uint64_t major = 0; major < matrix.majors(); ++major) {
    for (uint64_t left = random() % 6; left > 0; --left) {
      index.push_back(static_cast<uint32_t>(random() % matrix.minors()));
      values.push_back(static_cast<int64_t>(random() % 9) - 4);
      dense[by_row ? major : index.back()][by_row ? index.back() : major] += values.back();
    }
    pointer.push_back(values.size());
  }
  matrix.value = numbers(values);
  matrix.index = numbers(index);
  matrix.pointer = numbers(pointer);
  return {std::move(matrix), std::move(dense)};
}

std::string name(const char* side, uint64_t number) {
  return fmt::format("{}{}", side, number);
}

ArrayPtr names(const char* side, uint64_t count) {
  TextBuilder texts(count);
  for (uint64_t i = 0; i < count; ++i) texts.add(name(side, i));
  return std::make_shared<MemoryArray>(text_type(), Shape{count}, texts.finish());
}

std::string expected_csv(const Dense& dense, uint64_t columns) {
  std::string text = "\"\"";
  for (uint64_t column = 0; column < columns; ++column) text += "," + name("c", column);
  text += '\n';
  for (uint64_t row = 0; row < dense.size(); ++row) {
    text += name("g", row);
    for (const int64_t value : dense[row]) text += fmt::format(",{}", value);
    text += '\n';
  }
  return text;
}

std::string csv(const SparseMatrix& matrix) {
  TestContext context;
  return whole_text(csv_of_matrix(matrix, context), context);
}

BOOST_AUTO_TEST_SUITE(matrix_files)

// VIEWS 5 "`matrix.csv` of a sparse matrix is unlisted"
BOOST_AUTO_TEST_CASE(sparse_matrix_is_a_labelled_csv) {
  std::mt19937_64 random(71);
  for (const bool by_row : {false, true})
    for (const auto& [rows, columns] : {std::pair<uint64_t, uint64_t>(7, 5), {1, 300}, {400, 1}, {90, 80}}) {
      auto [matrix, dense] = random_matrix(rows, columns, by_row, random);
      matrix.row_names = names("g", rows);
      matrix.column_names = names("c", columns);
      BOOST_TEST(csv(matrix) == expected_csv(dense, columns));
    }
}

BOOST_AUTO_TEST_CASE(sum_that_overflows_is_unsupported) {
  SparseMatrix matrix;
  matrix.rows = matrix.columns = 1;
  matrix.value = numbers<int8_t>({100, 100});
  matrix.index = numbers<uint32_t>({0, 0});
  matrix.pointer = numbers<uint64_t>({0, 2});
  BOOST_TEST(message_of([&] { csv(matrix); }) == "the sum of repeated entries does not fit into 1 bytes");
}

BOOST_AUTO_TEST_CASE(index_beyond_the_matrix_is_damaged) {
  SparseMatrix matrix;
  matrix.rows = matrix.columns = 2;
  matrix.value = numbers<int8_t>({1});
  matrix.index = numbers<uint32_t>({2});
  matrix.pointer = numbers<uint64_t>({0, 1, 1});
  BOOST_TEST(message_of([&] { csv(matrix); }).find("2") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

}  // namespace plainfs
