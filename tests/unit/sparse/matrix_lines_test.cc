#include "formats/core/sparse/matrix_lines.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "formats/core/sparse/line_order.h"
#include "formats/core/text/number_text.h"
#include "fs/text/field_text.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

// A matrix stored twice: as lists, and dense in C order.
template <class T>
struct Both {
  uint64_t rows, columns;
  SparseMatrix sparse;
  std::vector<T> dense;

  T at(uint64_t row, uint64_t column) const { return dense[row * columns + column]; }
};

template <class T>
Both<T> random_matrix(uint64_t rows, uint64_t columns, bool by_row, unsigned seed, bool is_shuffled = false) {
  Both<T> both{rows, columns, {}, std::vector<T>(rows * columns)};
  std::mt19937 random(seed);
  std::vector<T> values;
  std::vector<uint32_t> indices;
  std::vector<uint64_t> pointer{0};
  const uint64_t majors = by_row ? rows : columns, minors = by_row ? columns : rows;
  for (uint64_t major = 0; major < majors; ++major) {
    std::vector<uint32_t> some;
    for (uint32_t minor = 0; minor < minors; ++minor)
      if (random() % 4 == 0) some.push_back(minor);
    if (is_shuffled) std::shuffle(some.begin(), some.end(), random);
    for (const uint32_t minor : some) {
      const T value = static_cast<T>(random() % 2000);
      values.push_back(value);
      indices.push_back(minor);
      both.dense[by_row ? major * columns + minor : minor * columns + major] = value;
    }
    pointer.push_back(values.size());
  }
  both.sparse.rows = rows;
  both.sparse.columns = columns;
  both.sparse.by_row = by_row;
  both.sparse.value = numbers<T>(values);
  both.sparse.index = numbers<uint32_t>(indices);
  both.sparse.pointer = numbers<uint64_t>(pointer);
  return both;
}

SparseMatrix in_chunks(SparseMatrix matrix, uint64_t chunk, Context& context) {
  matrix.value = std::make_shared<ChunkedCopy>(context, matrix.value, Shape{chunk});
  matrix.index = std::make_shared<ChunkedCopy>(context, matrix.index, Shape{chunk});
  return matrix;
}
uint64_t chunks_decoded(const SparseMatrix& matrix) {
  return dynamic_cast<const ChunkedCopy&>(*matrix.index).chunks_decoded();
}

template <class T>
std::vector<T> all_of(const MatrixLines& lines, uint64_t line) {
  const Elements elements = lines.read(line, 0, lines.length());
  return {elements.values<T>().begin(), elements.values<T>().end()};
}

template <class T>
void check_lines(const MatrixLines& lines, const Both<T>& both, bool are_rows, unsigned seed) {
  std::mt19937 random(seed);
  BOOST_TEST_REQUIRE(lines.count() == (are_rows ? both.rows : both.columns));
  BOOST_TEST_REQUIRE(lines.length() == (are_rows ? both.columns : both.rows));
  for (int i = 0; i < 40; ++i) {
    const uint64_t line = random() % lines.count();
    const uint64_t first = random() % lines.length(), some = random() % (lines.length() - first + 1);
    const Elements elements = lines.read(line, first, some);
    BOOST_TEST_REQUIRE(elements.count == some);
    for (uint64_t at = 0; at < some; ++at)
      BOOST_TEST_REQUIRE(elements.values<T>()[at] ==
                         (are_rows ? both.at(line, first + at) : both.at(first + at, line)));
  }
}

std::optional<std::vector<int64_t>> measured(const MatrixLines& lines) {
  return lines.measure([&](const Elements& values) { return csv_widths_beyond_zero(lines.dtype(), values); });
}

// Returns the number of characters of each line beyond its zeros.
template <class T>
std::vector<int64_t> widths_of(const Both<T>& both, bool are_rows) {
  std::vector<int64_t> more(are_rows ? both.rows : both.columns);
  for (uint64_t row = 0; row < both.rows; ++row)
    for (uint64_t column = 0; column < both.columns; ++column)
      more[are_rows ? row : column] += static_cast<int64_t>(number_length(both.at(row, column))) - 1;
  return more;
}

SparseMatrix small(std::vector<float> values, std::vector<uint32_t> index, std::vector<uint64_t> pointer,
                   uint64_t rows, uint64_t columns) {
  SparseMatrix matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.value = numbers<float>(std::move(values));
  matrix.index = numbers<uint32_t>(std::move(index));
  matrix.pointer = numbers<uint64_t>(std::move(pointer));
  return matrix;
}

BOOST_AUTO_TEST_SUITE(matrix_lines)

BOOST_AUTO_TEST_CASE(stored_entries_of_some_lines_are_counted_and_visited) {
  for (const bool by_row : {true, false})
    for (const bool is_sorted : {true, false}) {
      TestContext context(size_t{64} << 20);
      const auto both = random_matrix<int32_t>(90, 130, by_row, 7 + by_row);
      const MatrixLinesPtr lines = sparse_lines(in_chunks(both.sparse, 100, context), false, context);
      if (is_sorted) lines->sort_ahead(UINT64_MAX);
      const auto counts = lines->count_entries();
      BOOST_TEST_REQUIRE(counts.has_value());
      BOOST_TEST_REQUIRE(counts->size() == 130U);
      std::vector<int32_t> found(90 * 130);
      std::vector<uint64_t> visited(130);
      const uint64_t first = 20, count = 70;
      lines->visit_entries(first, count, [&](const FoundEntries& entries) {
        BOOST_TEST_REQUIRE(entries.lines.size() == entries.values.count);
        BOOST_TEST_REQUIRE(entries.majors.size() == entries.values.count);
        for (size_t i = 0; i < entries.lines.size(); ++i) {
          ++visited[first + entries.lines[i]];
          found[entries.majors[i] * 130 + first + entries.lines[i]] = entries.values.values<int32_t>()[i];
        }
      });
      for (uint64_t line = 0; line < 130; ++line) {
        const bool is_wanted = line >= first && line < first + count;
        BOOST_TEST_REQUIRE(visited[line] == (is_wanted ? (*counts)[line] : 0));
        for (uint64_t row = 0; row < 90; ++row)
          BOOST_TEST_REQUIRE(found[row * 130 + line] == (is_wanted ? both.at(row, line) : 0));
      }
      const auto shuffled = random_matrix<int32_t>(90, 130, by_row, 7, true);
      BOOST_TEST(!sparse_lines(shuffled.sparse, false, context)->count_entries().has_value());
    }
}

BOOST_AUTO_TEST_CASE(lines_of_a_sparse_matrix_match_the_dense_one) {
  for (const size_t cache : {size_t{64} << 20, size_t{16} << 10})
    for (const bool by_row : {true, false})
      for (const bool are_rows : {true, false})
        for (const bool is_shuffled : {true, false}) {
          TestContext context(cache);
          const auto both = random_matrix<int32_t>(90, 130, by_row, 1 + by_row + 2 * are_rows, is_shuffled);
          const auto lines = sparse_lines(in_chunks(both.sparse, 100, context), are_rows, context);
          check_lines(*lines, both, are_rows, 7);
          const auto more = measured(*lines);
          BOOST_TEST(more.has_value() == !is_shuffled);
          if (more) BOOST_TEST(*more == widths_of(both, are_rows), boost::test_tools::per_element());
        }
}

BOOST_AUTO_TEST_CASE(lines_of_a_dense_matrix_are_its_rows_and_columns) {
  TestContext context;
  const auto both = random_matrix<double>(60, 70, true, 5);
  const auto values =
      std::make_shared<ChunkedCopy>(context, numbers<double>(both.dense, {60, 70}), Shape{7, 9});
  for (const bool are_rows : {true, false}) {
    const auto lines = dense_lines(values, are_rows ? 0 : 1, context);
    check_lines(*lines, both, are_rows, 3);
    BOOST_TEST(*measured(*lines) == widths_of(both, are_rows), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(first_line_across_takes_the_only_pass) {
  TestContext context;
  const auto both = random_matrix<int32_t>(200, 300, true, 11);
  const SparseMatrix stored = in_chunks(both.sparse, 100, context);
  const auto lines = sparse_lines(stored, false, context);
  lines->read(3, 0, 200);
  const uint64_t once = chunks_decoded(stored);
  BOOST_TEST(once == (both.sparse.index->count() + 99) / 100);
  for (uint64_t column = 0; column < 300; ++column) lines->read(column, 0, 200);
  BOOST_TEST(chunks_decoded(stored) == once);  // all are in the cache
}

BOOST_AUTO_TEST_CASE(sorting_ahead_takes_one_pass_if_there_is_room) {
  const auto both = random_matrix<int32_t>(200, 300, true, 14);
  TestContext context;
  const SparseMatrix stored = in_chunks(both.sparse, 100, context);
  const auto lines = sparse_lines(stored, false, context);
  lines->sort_ahead(both.sparse.index->count() - 1);
  BOOST_TEST(chunks_decoded(stored) == 0U);
  lines->sort_ahead(UINT64_MAX);
  const uint64_t once = chunks_decoded(stored);
  BOOST_TEST(once == (both.sparse.index->count() + 99) / 100);
  lines->sort_ahead(UINT64_MAX);
  check_lines(*lines, both, false, 9);
  BOOST_TEST(chunks_decoded(stored) == once);

  TestContext small_context(48 << 10);
  const SparseMatrix too_large = in_chunks(both.sparse, 100, small_context);
  sparse_lines(too_large, false, small_context)->sort_ahead(UINT64_MAX);
  const SparseMatrix along = in_chunks(both.sparse, 100, context);
  sparse_lines(along, true, context)->sort_ahead(UINT64_MAX);
  BOOST_TEST(chunks_decoded(too_large) + chunks_decoded(along) == 0U);
}

BOOST_AUTO_TEST_CASE(a_line_along_reads_its_own_entries_alone) {
  TestContext context;
  const auto both = random_matrix<int32_t>(200, 300, true, 12);
  const SparseMatrix stored = in_chunks(both.sparse, 100, context);
  sparse_lines(stored, true, context)->read(3, 0, 300);
  BOOST_TEST(chunks_decoded(stored) <= 3U);
}

BOOST_AUTO_TEST_CASE(expected_lines_share_one_pass) {
  TestContext context(48 << 10);  // no room for the order, nor for the chunks
  const auto both = random_matrix<int32_t>(200, 300, true, 13);
  const SparseMatrix stored = in_chunks(both.sparse, 1000, context);
  const auto lines = sparse_lines(stored, false, context);
  BOOST_TEST(lines->is_costly());
  BOOST_TEST(!sparse_lines(stored, true, context)->is_costly());
  const std::vector<uint64_t> wanted{5, 250, 5, 17};
  lines->expect(wanted);
  const uint64_t once = chunks_decoded(stored);
  for (const uint64_t line : wanted) {
    const std::vector<int32_t> values = all_of<int32_t>(*lines, line);
    for (uint64_t row = 0; row < 200; ++row) BOOST_TEST_REQUIRE(values[row] == both.at(row, line));
  }
  BOOST_TEST(chunks_decoded(stored) == once);
}

BOOST_AUTO_TEST_CASE(duplicate_entries_add_up) {
  TestContext context;
  // VIEWS 12 "Entries of a sparse matrix add up from 0".
  const SparseMatrix matrix = small({1, 2, -0.0f, 4, 1e8f, 1, -1e8f}, {2, 0, 1, 2, 0, 0, 0}, {0, 4, 7}, 3, 2);
  for (const bool are_rows : {true, false}) {
    const auto lines = sparse_lines(matrix, are_rows, context);
    std::vector<std::vector<float>> all;
    for (uint64_t line = 0; line < lines->count(); ++line) all.push_back(all_of<float>(*lines, line));
    const auto at = [&](uint64_t row, uint64_t column) {
      return are_rows ? all[row][column] : all[column][row];
    };
    BOOST_TEST(at(2, 0) == 5);
    BOOST_TEST(at(0, 0) == 2);
    BOOST_TEST(!std::signbit(at(1, 0)));
    BOOST_TEST(at(0, 1) == 0);  // in single precision, one after another
    BOOST_CHECK(!measured(*lines));
  }
  SparseMatrix whole = matrix;
  whole.value = numbers<uint8_t>({200, 0, 0, 100, 0, 0, 0});
  BOOST_CHECK_EXCEPTION(sparse_lines(whole, false, context)->read(0, 0, 3), Error,
                        mentions("200 + 100 does not fit into uint8"));
}

BOOST_AUTO_TEST_CASE(logical_and_missing_values_are_measured_as_shown) {
  TestContext context;
  SparseMatrix matrix = small({}, {0, 2, 1}, {0, 2, 3}, 3, 2);
  DType logical = number_type(Kind::integer, 4);
  logical.kind = Kind::logical;
  Elements values = elements_of<int32_t>({1, 0, 1});
  values.missing = {0, 1, 0};
  matrix.value = std::make_shared<MemoryArray>(logical, Shape{3}, std::move(values));
  const auto lines = sparse_lines(matrix, false, context);
  BOOST_TEST(*measured(*lines) == (std::vector<int64_t>{-1 - 3, -1}), boost::test_tools::per_element());
  const Elements first = lines->read(0, 0, 3);
  BOOST_TEST(first.is_missing(2));
  BOOST_TEST(!first.is_missing(0));
}

BOOST_AUTO_TEST_CASE(several_lines_are_columns_of_one_array) {
  TestContext context;
  const auto both = random_matrix<int32_t>(30, 40, false, 21);
  const ArrayPtr array = lines_array(sparse_lines(both.sparse, true, context), {4, 0, 29});
  BOOST_TEST(array->shape() == (Shape{40, 3}), boost::test_tools::per_element());
  const Elements part = array->read({{10, 1}, {20, 2}});
  for (uint64_t i = 0; i < 40; ++i)
    BOOST_TEST_REQUIRE(part.values<int32_t>()[i] == both.at(i % 2 == 0 ? 0 : 29, 10 + i / 2));
}

BOOST_AUTO_TEST_CASE(other_contents_are_refused) {
  TestContext context;
  const auto read = [&](const SparseMatrix& matrix, bool are_rows) {
    sparse_lines(matrix, are_rows, context)->read(0, 0, 1);
  };
  for (const bool are_rows : {true, false}) {
    BOOST_CHECK_EXCEPTION(read(small({1, 2}, {0, 3}, {0, 2}, 3, 1), are_rows), Error,
                          mentions("3 is not below 3"));
    BOOST_CHECK_EXCEPTION(read(small({1, 2}, {0, 1}, {0, 3, 2}, 3, 2), are_rows), Error, mentions("pointer"));
    BOOST_CHECK_EXCEPTION(read(small({1, 2}, {0}, {0, 2}, 3, 1), are_rows), Error,
                          mentions("2 values and 1 indices"));
  }
  SparseMatrix texts = small({}, {}, {0, 0}, 3, 1);
  texts.value = text_array({});
  BOOST_CHECK_EXCEPTION(read(texts, false), Error, mentions("a matrix of text"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
