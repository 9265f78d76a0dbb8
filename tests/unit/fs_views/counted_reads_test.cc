// A jump into the middle of a file for another program decodes only the chunks it reads, for every kind of
// file.
#include <boost/test/unit_test.hpp>
#include <random>

#include "formats/core/sparse/dense_entries.h"
#include "fs/views/anndata/anndata_files.h"
#include "fs/views/matrix/tenx_h5.h"
#include "fs/views/r/rds.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

constexpr uint64_t kChunk = 2048;

// Chunked arrays that count each decoded chunk and do not reuse cached ones.
class Counted {
 public:
  ArrayPtr chunked(ArrayPtr array, Shape chunk = {kChunk}) {
    parts_.push_back(std::make_shared<ChunkedCopy>(context, std::move(array), std::move(chunk)));
    return parts_.back();
  }
  uint64_t decoded() const {
    uint64_t sum = 0;
    for (const auto& part : parts_) sum += part->chunks_decoded();
    return sum;
  }
  uint64_t chunks() const {
    uint64_t sum = 0;
    for (const auto& part : parts_) sum += part->grid().chunk_count();
    return sum;
  }

  TestContext context{size_t{4} << 10, 0};

 private:
  std::vector<std::shared_ptr<ChunkedCopy>> parts_;
};

// Returns the most chunks that a read of 100 bytes decodes at any place. Reads backwards, so that no read
// follows another.
uint64_t max_decoded(ViewFile& file, const Counted& counted) {
  std::mt19937_64 random(8);
  std::vector<uint64_t> offsets(200);
  for (uint64_t& offset : offsets) offset = random() % file.size();
  std::sort(offsets.rbegin(), offsets.rend());
  uint64_t most = 0;
  for (const uint64_t offset : offsets) {
    const uint64_t before = counted.decoded();
    read_text(file, offset, 100);
    most = std::max(most, counted.decoded() - before);
  }
  return most;
}

template <class T>
ArrayPtr counting(uint64_t count, uint64_t limit) {
  std::vector<T> values(count);
  for (uint64_t i = 0; i < count; ++i) values[i] = static_cast<T>(i % limit);
  return numbers(values);
}

ArrayPtr names(const std::string& stem, uint64_t count) {
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < count; ++i) texts.push_back(stem + std::to_string(i));
  return text_array(texts);
}

constexpr uint64_t kRows = 1000, kColumns = 60, kEntries = kRows * kColumns;

SparseMatrix sparse(Counted& counted) {
  std::vector<uint64_t> pointers;
  for (uint64_t p = 0; p <= kEntries; p += kRows) pointers.push_back(p);
  SparseMatrix matrix;
  matrix.rows = kRows;
  matrix.columns = kColumns;
  matrix.value = counted.chunked(counting<float>(kEntries, 90));
  matrix.index = counted.chunked(counting<uint32_t>(kEntries, kRows));
  matrix.pointer = numbers(pointers);
  matrix.row_names = names("GENE", kRows);
  matrix.column_names = names("CELL", kColumns);
  return matrix;
}

Table table(Counted& counted, uint64_t rows) {
  Table generated;
  generated.rows = rows;
  generated.columns = {{"number", counted.chunked(counting<double>(rows, 1000))},
                       {"text", counted.chunked(names("text ", rows))},
                       {"whole", counted.chunked(counting<int16_t>(rows, 7))}};
  return generated;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(counted_reads)

BOOST_AUTO_TEST_CASE(sparse_matrices_of_r) {
  Counted counted;
  const SparseMatrix matrix = sparse(counted);
  const auto file = layout_file([&] { return sparse_rds(matrix, counted.context); }, counted.context);
  file->size();
  BOOST_TEST(counted.decoded() == 0u);
  // Values also need the indices of their column, which may be in any order.
  BOOST_TEST(max_decoded(*file, counted) <= 6u);
  BOOST_TEST(counted.chunks() == 60u);
}

BOOST_AUTO_TEST_CASE(graphs_of_r) {
  Counted counted;
  CoordinateMatrix matrix;
  matrix.rows = matrix.columns = kRows;
  matrix.row = counted.chunked(counting<uint32_t>(kEntries, kRows));
  matrix.column = counted.chunked(counting<uint32_t>(kEntries, kRows));
  matrix.value = counted.chunked(counting<double>(kEntries, 11));
  const auto file = layout_file([&] { return coordinates_rds(matrix, counted.context); }, counted.context);
  file->size();
  BOOST_TEST(counted.decoded() == 0u);
  BOOST_TEST(max_decoded(*file, counted) <= 2u);
}

BOOST_AUTO_TEST_CASE(tables_of_r) {
  Counted counted;
  const Table frame = table(counted, 30000);
  const auto file = layout_file([&] { return table_rds(frame, counted.context); }, counted.context);
  file->size();
  BOOST_TEST(counted.decoded() >= 15u);  // the lengths of the texts, without the numbers
  BOOST_TEST(counted.decoded() <= 30u);
  BOOST_TEST(max_decoded(*file, counted) <= 2u);
}

BOOST_AUTO_TEST_CASE(matrices_of_r) {
  Counted counted;
  const LabelledArray array{
      counted.chunked(numbers(std::vector<float>(300 * 200, 0.5f), {300, 200}), {50, 40}), nullptr, nullptr};
  const auto file = layout_file([&] { return array_rds(array, counted.context); }, counted.context);
  file->size();
  BOOST_TEST(counted.decoded() == 0u);
  BOOST_TEST(max_decoded(*file, counted) <= 3u);
}

BOOST_AUTO_TEST_CASE(files_of_cell_ranger) {
  Counted counted;
  const SparseMatrix matrix = sparse(counted);
  const TenxFeatures features{matrix.row_names, matrix.row_names, matrix.row_names};
  const auto file = layout_file([&] { return tenx_h5(matrix, features, counted.context); }, counted.context);
  file->size();
  BOOST_TEST(counted.decoded() == 0u);
  BOOST_TEST(max_decoded(*file, counted) <= 2u);
}

// A matrix that is stored as a whole needs the rows of the requested entries.
BOOST_AUTO_TEST_CASE(files_of_cell_ranger_of_dense_matrices) {
  Counted counted;
  constexpr uint64_t kCells = 1200, kGenes = 300;
  std::vector<float> values(kCells * kGenes);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 3);
  LabelledArray dense{counted.chunked(numbers(values, {kCells, kGenes}), {10, 60}), nullptr, nullptr};
  dense.matrix = MatrixFiles{};
  dense.matrix->transposed = true;
  dense.matrix->row_names = names("GENE", kGenes);
  dense.matrix->column_names = names("CELL", kCells);
  const TenxFeatures features{dense.matrix->row_names, dense.matrix->row_names, dense.matrix->row_names};
  const auto file =
      layout_file([&] { return tenx_h5(entries_of(dense, counted.context), features, counted.context); },
                  counted.context);
  file->size();
  BOOST_TEST(counted.chunks() == 600u);
  BOOST_TEST(counted.decoded() <= 610u);               // to count the entries of each cell
  BOOST_TEST(max_decoded(*file, counted) <= 2u * 5u);  // two cells, of five chunks each
}

// The texts of one column have the same lengths in all files, and so do its missing numbers.
BOOST_AUTO_TEST_CASE(texts_are_measured_once_for_all_files) {
  Counted counted;
  AnnotatedMatrix matrix;
  matrix.cells = 30000;
  matrix.genes = 1;
  matrix.obs = table(counted, 30000);
  matrix.var.rows = 1;
  // An array without missing elements is not searched for any.
  Column& whole = matrix.obs.columns.back();
  AnnotatedMatrix of_whole = matrix;
  of_whole.obs.columns = {whole};
  layout_file([&] { return h5ad(of_whole, counted.context); }, counted.context)->size();
  BOOST_TEST(counted.decoded() == 0u);
  whole.values = with_missing(whole.values, [](const Elements&, std::vector<uint8_t>&) {});
  const auto frame = layout_file([&] { return table_rds(matrix.obs, counted.context); }, counted.context);
  frame->size();
  const uint64_t of_texts = counted.decoded();
  const auto file = layout_file([&] { return h5ad(matrix, counted.context); }, counted.context);
  file->size();
  const uint64_t of_numbers = counted.decoded() - of_texts;
  BOOST_TEST(of_texts >= 15u);
  BOOST_TEST(of_numbers == 15u);  // whether an integer is missing
  layout_file([&] { return h5ad(matrix, counted.context); }, counted.context)->size();
  BOOST_TEST(counted.decoded() == of_texts + of_numbers);
}

BOOST_AUTO_TEST_CASE(files_of_anndata) {
  Counted counted;
  AnnotatedMatrix matrix;
  matrix.cells = kColumns;
  matrix.genes = kRows;
  matrix.x = transposed(sparse(counted));
  matrix.obs.rows = kColumns;
  matrix.var = table(counted, kRows);
  const std::vector<float> dense(kColumns * 500, 1.5f);
  matrix.obsm.push_back(
      {"X_pca", LabelledArray{counted.chunked(numbers(dense, {kColumns, 500}), {20, 50}), nullptr, nullptr}});
  const auto file = layout_file([&] { return h5ad(matrix, counted.context); }, counted.context);
  file->size();
  BOOST_TEST(counted.decoded() <= 4u);  // the texts of var, and whether one of its integers is missing
  BOOST_TEST(max_decoded(*file, counted) <= 3u);
  BOOST_TEST(counted.chunks() > 90u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
