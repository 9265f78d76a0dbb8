#include "formats/core/sparse/column_order.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/derived_array.h"
#include "tests/support/room_on_disk.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/temporary_directory.h"
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

// 3 rows by 4 columns; the second has no entry.
SparseMatrix small_matrix() {
  SparseMatrix matrix;
  matrix.rows = 3;
  matrix.columns = 4;
  matrix.by_row = true;
  matrix.value = numbers<int16_t>({5, 6, 7, 8, 9});
  matrix.index = numbers<int64_t>({0, 3, 3, 2, 0});
  matrix.pointer = numbers<int32_t>({0, 2, 2, 5});
  return matrix;
}

// A matrix with chunked parts, and the same matrix by column, computed by the test.
struct ManyEntries {
  static constexpr uint64_t kRows = 300, kColumns = 500, kChunk = 1000;

  ManyEntries(std::mt19937_64& random, Context& context) {
    std::vector<std::vector<std::pair<uint32_t, float>>> of_column(kColumns);
    std::vector<uint32_t> index;
    std::vector<float> value;
    std::vector<uint64_t> starts{0};
    for (uint32_t row = 0; row < kRows; ++row) {
      const bool is_full = row == 17, is_empty = row % 50 == 3;
      for (uint32_t column = 0; column < kColumns; ++column) {
        if (is_empty || (column % 3 == 0 && !is_full) || (!is_full && random() % 3 == 0)) continue;
        index.push_back(column);
        value.push_back(static_cast<float>(random() % 1000));
        of_column[column].emplace_back(row, value.back());
      }
      starts.push_back(index.size());
    }
    for (const auto& entries : of_column) {
      for (const auto& [row, number] : entries) {
        rows.push_back(row);
        values.push_back(number);
      }
      pointer.push_back(rows.size());
    }
    stored_value = std::make_shared<ChunkedCopy>(context, numbers(value), Shape{kChunk});
    stored_index = std::make_shared<ChunkedCopy>(context, numbers(index), Shape{kChunk});
    matrix.rows = kRows;
    matrix.columns = kColumns;
    matrix.by_row = true;
    matrix.value = stored_value;
    matrix.index = stored_index;
    matrix.pointer = numbers(starts);
  }

  uint64_t chunks() const { return (rows.size() + kChunk - 1) / kChunk; }

  std::vector<uint64_t> pointer{0};
  std::vector<uint32_t> rows;
  std::vector<float> values;
  std::shared_ptr<ChunkedCopy> stored_value, stored_index;
  SparseMatrix matrix;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(column_order)

BOOST_AUTO_TEST_CASE(rows_rise_within_each_column) {
  TestContext context;
  const SparseMatrix turned = by_column(small_matrix(), context);
  BOOST_TEST(!turned.by_row);
  BOOST_TEST(turned.rows == 3u);
  BOOST_TEST(turned.columns == 4u);
  BOOST_TEST(all<uint64_t>(*turned.pointer) == (std::vector<uint64_t>{0, 2, 2, 3, 5}));
  BOOST_TEST(all<uint32_t>(*turned.index) == (std::vector<uint32_t>{0, 2, 2, 0, 2}));
  BOOST_TEST(all<int16_t>(*turned.value) == (std::vector<int16_t>{5, 9, 8, 6, 7}));
}

BOOST_AUTO_TEST_CASE(empty_matrix_is_empty_in_any_order) {
  TestContext context;
  SparseMatrix matrix = small_matrix();
  matrix.value = numbers<float>({});
  matrix.index = numbers<uint32_t>({});
  matrix.pointer = numbers<uint32_t>({0, 0, 0, 0});
  const SparseMatrix turned = by_column(matrix, context);
  BOOST_TEST(all<uint64_t>(*turned.pointer) == (std::vector<uint64_t>{0, 0, 0, 0, 0}));
  BOOST_TEST(read_all(*turned.index).count == 0u);
  BOOST_TEST(read_all(*turned.value).count == 0u);
}

BOOST_AUTO_TEST_CASE(missing_values_stay_missing_in_any_order) {
  TestContext context;
  SparseMatrix matrix = small_matrix();
  matrix.value = with_missing(matrix.value, [](const Elements& elements, std::vector<uint8_t>& missing) {
    for (uint64_t i = 0; i < elements.count; ++i) missing[i] = elements.values<int16_t>()[i] == 9;
  });
  const Elements values = read_all(*by_column(matrix, context).value);
  for (uint64_t i = 0; i < values.count; ++i) BOOST_TEST(values.is_missing(i) == (i == 1));
}

BOOST_AUTO_TEST_CASE(any_run_equals_that_part_in_bands_of_any_size) {
  std::mt19937_64 random(9);
  for (const size_t budget : {size_t{64} << 10, size_t{200} << 10, size_t{8} << 20}) {
    TestContext context(budget);
    const ManyEntries many(random, context);
    const SparseMatrix turned = by_column(many.matrix, context);
    BOOST_TEST((all<uint64_t>(*turned.pointer) == many.pointer));
    BOOST_TEST((all<uint32_t>(*turned.index) == many.rows));
    BOOST_TEST((all<float>(*turned.value) == many.values));
    for (int i = 0; i < 30; ++i) {
      const uint64_t first = random() % many.rows.size();
      const uint64_t count = 1 + random() % (many.rows.size() - first);
      const Elements at = read_run(*turned.index, first, count), some = read_run(*turned.value, first, count);
      const std::span<const uint32_t> rows = at.values<uint32_t>();
      const std::span<const float> values = some.values<float>();
      BOOST_TEST(std::equal(rows.begin(), rows.end(), many.rows.begin() + first));
      BOOST_TEST(std::equal(values.begin(), values.end(), many.values.begin() + first));
    }
  }
}

BOOST_AUTO_TEST_CASE(each_band_is_one_pass_over_its_source) {
  TestContext context(size_t{128} << 10);  // bands of 8192 entries
  std::mt19937_64 random(10);
  const ManyEntries many(random, context);
  const uint64_t passes = 8, entries = many.rows.size();
  BOOST_TEST((entries + 8191) / 8192 == passes);
  const SparseMatrix turned = by_column(many.matrix, context);
  BOOST_TEST(many.stored_index->chunks_decoded() == many.chunks());
  BOOST_TEST(many.stored_value->chunks_decoded() == 0u);
  // From beginning to end, in small parts that are released.
  for (uint64_t first = 0; first < entries; first += 500) {
    const uint64_t some = std::min<uint64_t>(500, entries - first);
    read_run(*turned.index, first, some);
    passed_run(*turned.index, first, some);
  }
  BOOST_TEST(many.stored_index->chunks_decoded() == (1 + passes) * many.chunks());
  BOOST_TEST(many.stored_value->chunks_decoded() == 0u);
  // Here and there in one band.
  for (uint64_t i = 0; i < 50; ++i) read_run(*turned.value, 3 * 8192 + 4000 * (i % 2) + i, 10);
  BOOST_TEST(many.stored_value->chunks_decoded() == many.chunks());
  BOOST_TEST(many.stored_index->chunks_decoded() == (2 + passes) * many.chunks());
}

BOOST_AUTO_TEST_CASE(bands_of_sorted_entries_share_a_pass) {
  const TemporaryDirectory folder;
  RoomOnDisk room(folder.path(), 64 << 20);
  TestContext context(size_t{128} << 10);
  context.context.passes = &room;
  std::mt19937_64 random(10);
  const ManyEntries many(random, context);
  const SparseMatrix turned = by_column(many.matrix, context);
  BOOST_TEST((all<uint32_t>(*turned.index) == many.rows));
  BOOST_TEST((all<float>(*turned.value) == many.values));
  // Counted and sorted once. Chunks in two segments of the sort are decoded twice.
  BOOST_TEST(many.stored_index->chunks_decoded() < 3 * many.chunks());
  BOOST_TEST(many.stored_value->chunks_decoded() < 2 * many.chunks());
}

BOOST_AUTO_TEST_CASE(cached_store_is_decoded_once) {
  TestContext context;
  std::mt19937_64 random(11);
  const ManyEntries many(random, context);
  const SparseMatrix turned = by_column(many.matrix, context);
  read_all(*turned.index);
  read_all(*turned.value);
  BOOST_TEST(many.stored_index->chunks_decoded() == many.chunks());
  BOOST_TEST(many.stored_value->chunks_decoded() == many.chunks());
}

BOOST_AUTO_TEST_CASE(counts_are_reused) {
  TestContext context;
  std::mt19937_64 random(12);
  const ManyEntries many(random, context);
  by_column(many.matrix, context);
  by_column(many.matrix, context);
  BOOST_TEST(many.stored_index->chunks_decoded() == many.chunks());
}

BOOST_AUTO_TEST_CASE(store_change_is_reported) {
  TestContext context;
  SparseMatrix matrix = small_matrix();
  bool has_changed = false;
  matrix.index = mapped(matrix.index, matrix.index->dtype(), [&](Elements elements, const Box&) {
    if (has_changed) elements.mutable_values<int64_t>()[0] = 1;
    return elements;
  });
  const SparseMatrix turned = by_column(matrix, context);
  has_changed = true;
  BOOST_TEST(message_of([&] { read_all(*turned.index); }) ==
             "a matrix has changed since its entries were counted");
}

BOOST_AUTO_TEST_CASE(unsortable_entries_are_reported) {
  TestContext context(size_t{1} << 20);
  SparseMatrix matrix = small_matrix();
  matrix.columns = 3;
  BOOST_TEST(message_of([&] { by_column(matrix, context); }) == "column 3 is not below 3");
  matrix.columns = uint64_t{1} << 16;
  BOOST_TEST(message_of([&] { by_column(matrix, context); }) ==
             "65536 columns are too many to sort with a cache of 1048576 bytes");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
