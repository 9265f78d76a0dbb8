#include "formats/core/sparse/dense_entries.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/derived_array.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

template <class T>
std::vector<T> all(const Array& array) {
  const Elements elements = read_all(array);
  const auto values = elements.values<T>();
  return {values.begin(), values.end()};
}

LabelledArray dense(ArrayPtr values, bool transposed) {
  LabelledArray matrix{std::move(values), nullptr, nullptr};
  matrix.matrix = MatrixFiles{transposed, nullptr, nullptr, nullptr};
  return matrix;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dense_entries)

BOOST_AUTO_TEST_CASE(zeros_are_left_out_cell_by_cell) {
  TestContext context;
  // 2 genes by 3 cells, and the same with cells in rows.
  for (const LabelledArray& matrix : {dense(numbers<double>({1, 0, 3, -0.0, 5, NAN}, {2, 3}), false),
                                      dense(numbers<double>({1, -0.0, 0, 5, 3, NAN}, {3, 2}), true)}) {
    const SparseMatrix entries = entries_of(matrix, context);
    BOOST_TEST(entries.rows == 2u);
    BOOST_TEST(entries.columns == 3u);
    BOOST_TEST(!entries.by_row);
    BOOST_TEST(all<uint64_t>(*entries.pointer) == (std::vector<uint64_t>{0, 1, 2, 4}));
    BOOST_TEST(all<uint64_t>(*entries.index) == (std::vector<uint64_t>{0, 1, 0, 1}));
    const std::vector<double> values = all<double>(*entries.value);
    BOOST_TEST((values[0] == 1 && values[1] == 5 && values[2] == 3 && std::isnan(values[3])));
  }
}

BOOST_AUTO_TEST_CASE(a_missing_value_is_an_entry) {
  TestContext context;
  const ArrayPtr values =
      with_missing(numbers<int32_t>({0, 0, 7}, {1, 3}), [](const Elements& elements, auto& missing) {
        for (uint64_t i = 0; i < elements.count; ++i) missing[i] = elements.count == 3 && i == 1;
      });
  const Elements entries = read_all(*entries_of(dense(values, true), context).value);
  BOOST_TEST(entries.count == 2u);
  BOOST_TEST(entries.is_missing(0));
  BOOST_TEST(!entries.is_missing(1));
}

BOOST_AUTO_TEST_CASE(any_run_decodes_only_its_part) {
  TestContext context;
  std::mt19937_64 random(4);
  constexpr uint64_t kCells = 3000, kGenes = 50;
  std::vector<int32_t> stored(kCells * kGenes);
  for (int32_t& value : stored) value = random() % 4 ? 0 : static_cast<int32_t>(random() % 9);
  const auto chunked =
      std::make_shared<ChunkedCopy>(context, numbers(stored, {kCells, kGenes}), Shape{100, kGenes});
  const SparseMatrix entries = entries_of(dense(chunked, true), context);
  BOOST_TEST(chunked->chunks_decoded() == kCells / 100);
  const std::vector<int32_t> values = all<int32_t>(*entries.value);
  const std::vector<uint64_t> genes = all<uint64_t>(*entries.index);
  BOOST_TEST(values.size() == static_cast<size_t>(std::count_if(stored.begin(), stored.end(),
                                                                [](int32_t value) { return value != 0; })));
  for (int i = 0; i < 200; ++i) {
    const uint64_t first = random() % values.size();
    const uint64_t count = 1 + random() % (values.size() - first);
    const Elements some = read_run(*entries.value, first, count), at = read_run(*entries.index, first, count);
    const std::span<const int32_t> value = some.values<int32_t>();
    const std::span<const uint64_t> gene = at.values<uint64_t>();
    BOOST_TEST(std::equal(value.begin(), value.end(), values.begin() + first));
    BOOST_TEST(std::equal(gene.begin(), gene.end(), genes.begin() + first));
  }
}

BOOST_AUTO_TEST_CASE(wrong_entry_count_is_an_error) {
  TestContext context;
  // 3 cells of 2 genes with 1, 2 and 1 entries.
  for (const std::vector<uint64_t>& counted : std::vector<std::vector<uint64_t>>{
           {0, 1, 3, 9}, {0, 1, 2, 4}, {0, 2, 3, 4}, {0, 0, 3, 4}, {0, 1, 4, 4}}) {
    const LabelledArray matrix = dense(numbers<int32_t>({1, 0, 3, 5, 0, 7}, {3, 2}), true);
    matrix.values->survey<EntriesByCell>(entries_key(true), [&] { return EntriesByCell{counted}; });
    const SparseMatrix entries = entries_of(matrix, context);
    BOOST_TEST_CONTEXT(counted[1] << ' ' << counted[2] << ' ' << counted[3])
    for (const ArrayPtr& part : {entries.value, entries.index})
      BOOST_TEST(message_of([&] { read_all(*part); }) ==
                 "a matrix has changed since its entries were counted");
  }
}

BOOST_AUTO_TEST_CASE(text_has_no_entries) {
  TestContext context;
  const ArrayPtr text =
      std::make_shared<MemoryArray>(text_type(), Shape{1, 1}, zero_elements(text_type(), 1));
  BOOST_TEST(message_of([&] { entries_of(dense(text, true), context); }).find("a matrix of text") !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
