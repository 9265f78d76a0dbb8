#include "fs/views/matrix/matrix_files.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <tuple>

#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/sparse/dense_entries.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

std::string text_of(ArrayPtr values, bool transposed) {
  TestContext context;
  return whole_text(dense_mtx(std::move(values), transposed, context), context);
}

ArrayPtr typed(DType type, Shape shape, Elements elements, bool column_major = false) {
  return std::make_shared<MemoryArray>(std::move(type), std::move(shape), std::move(elements), Attributes{},
                                       column_major);
}

// Returns the text that fs/VIEWS.md requires, written in the simplest way.
template <class Value>
std::string expected(const std::vector<Value>& values, uint64_t lines, uint64_t width, bool transposed) {
  std::string entries;
  uint64_t count = 0;
  for (uint64_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    char text[kNumberTextMax];
    const std::string value(text, write_number(text, values[i]));
    const uint64_t line = i / width + 1, column = i % width + 1;
    entries += fmt::format("{} {} {}\n", transposed ? column : line, transposed ? line : column, value);
    ++count;
  }
  return fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
                     std::is_integral_v<Value> ? "integer" : "real", transposed ? width : lines,
                     transposed ? lines : width, count) +
         entries;
}

template <class Value, class Make>
void check_random(uint64_t lines, uint64_t width, Shape chunk, uint64_t seed, Make&& make) {
  std::mt19937_64 random(seed);
  std::vector<Value> values(lines * width);
  for (Value& value : values) value = random() % 3 == 0 ? make(random) : Value();
  for (const bool transposed : {false, true}) {
    TestContext context;
    const auto array = std::make_shared<ChunkedCopy>(context, numbers(values, {lines, width}), chunk);
    TextFile file(dense_mtx(array, transposed, context), context);
    const std::string want = expected(values, lines, width, transposed);
    BOOST_TEST((whole_text(file) == want));
    BOOST_TEST(slices_match(file, want, random, 40));
  }
}

// Returns the place where the entries of each cell begin.
std::vector<uint64_t> entries_of_cells(const ArrayPtr& values, bool cells_are_rows, Context& context) {
  LabelledArray matrix{values, nullptr, nullptr};
  matrix.matrix = MatrixFiles{cells_are_rows, nullptr, nullptr, nullptr};
  const Elements pointer = read_all(*entries_of(matrix, context).pointer);
  const auto numbers = pointer.values<uint64_t>();
  return {numbers.begin(), numbers.end()};
}

// A chunked matrix larger than the cache, and the number of entries of its cells.
struct CountedMatrix {
  TestContext context{uint64_t{256} << 10, 1};
  std::shared_ptr<ChunkedCopy> chunks;
  ArrayPtr values;
  std::vector<uint64_t> pointer;

  CountedMatrix(uint64_t rows, uint64_t columns, Shape chunk, bool cells_are_rows, bool any_missing) {
    std::mt19937_64 random(rows);
    std::vector<int32_t> stored(rows * columns);
    pointer.resize((cells_are_rows ? rows : columns) + 1);
    for (uint64_t i = 0; i < stored.size(); ++i) {
      stored[i] = random() % 3 == 0 ? static_cast<int32_t>(1 + random() % 1000) : 0;
      pointer[(cells_are_rows ? i / columns : i % columns) + 1] += stored[i] != 0;
    }
    std::partial_sum(pointer.begin(), pointer.end(), pointer.begin());
    chunks = std::make_shared<ChunkedCopy>(context, numbers(stored, {rows, columns}), chunk);
    values = chunks;
    if (!any_missing) return;
    values = with_missing(chunks, [](const Elements& elements, auto& missing) {
      const auto is = elements.values<int32_t>();
      for (uint64_t i = 0; i < is.size(); ++i) missing[i] = is[i] % 5 == 1;
    });
  }
};

template <class Check>
void for_counted_matrices(Check&& check) {
  for (const bool cells_are_rows : {false, true}) {
    for (const bool any_missing : {false, true}) {
      for (const auto& [rows, columns, chunk] : std::vector<std::tuple<uint64_t, uint64_t, Shape>>{
               {700, 90, {64, 16}},
               {3, 200'000, {1, 1000}},  // several blocks per line
               {5, 30'011, {5, 30'011}},
               {40'000, 2, {977, 2}}}) {
        BOOST_TEST_CONTEXT(rows << " x " << columns << ", cells are rows: " << cells_are_rows) {
          CountedMatrix matrix(rows, columns, chunk, cells_are_rows, any_missing);
          check(matrix, cells_are_rows);
        }
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dense_mtx_view)

BOOST_AUTO_TEST_CASE(zeros_are_left_out_and_nan_stays) {
  const ArrayPtr values = numbers<double>({0, -0.0, 1.5, NAN, -INFINITY, 1e300}, {2, 3});
  BOOST_TEST(
      text_of(values, false) ==
      "%%MatrixMarket matrix coordinate real general\n2 3 4\n1 3 1.5\n2 1 NaN\n2 2 -Inf\n2 3 1e+300\n");
  BOOST_TEST(
      text_of(values, true) ==
      "%%MatrixMarket matrix coordinate real general\n3 2 4\n3 1 1.5\n1 2 NaN\n2 2 -Inf\n3 2 1e+300\n");
}

BOOST_AUTO_TEST_CASE(small_numbers_and_truth_values_are_whole_numbers) {
  BOOST_TEST(text_of(numbers<int8_t>({-128, 0, 127, 1}, {2, 2}), false) ==
             "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 -128\n2 1 127\n2 2 1\n");
  BOOST_TEST(text_of(typed(number_type(Kind::boolean, 1), {1, 3}, elements_of<uint8_t>({1, 0, 1})), true) ==
             "%%MatrixMarket matrix coordinate integer general\n3 1 2\n1 1 1\n3 1 1\n");
  const std::vector<uint16_t> halves{to_half(0.5F).bits, to_half(-0.0F).bits};
  BOOST_TEST(text_of(typed(number_type(Kind::real, 2), {1, 2}, elements_of(halves)), false) ==
             "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 0.5\n");
}

BOOST_AUTO_TEST_CASE(missing_values_are_entries) {
  Elements elements = elements_of<int32_t>({0, 0, 7});
  elements.missing = {0, 1, 0};
  BOOST_TEST(text_of(typed(number_type(Kind::integer, 4), {3, 1}, std::move(elements)), true) ==
             "%%MatrixMarket matrix coordinate integer general\n1 3 2\n1 2 NA\n1 3 7\n");
}

BOOST_AUTO_TEST_CASE(column_major_array_is_the_matrix_shown_to_users) {
  const ArrayPtr values =
      typed(number_type(Kind::integer, 4), {2, 3}, elements_of<int32_t>({1, 0, 2, 0, 3, 0}), true);
  BOOST_TEST(text_of(values, false) ==
             "%%MatrixMarket matrix coordinate integer general\n3 2 3\n1 1 1\n2 2 3\n3 1 2\n");
}

BOOST_AUTO_TEST_CASE(matrices_without_elements_or_entries) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  BOOST_TEST(text_of(numbers<float>({}, {0, 3}), true) == banner + "3 0 0\n");
  BOOST_TEST(text_of(numbers<float>({}, {3, 0}), true) == banner + "0 3 0\n");
  BOOST_TEST(text_of(numbers<float>({}, {0, 0}), true) == banner + "0 0 0\n");
  BOOST_TEST(text_of(numbers<float>({0, 0}, {2, 1}), false) == banner + "2 1 0\n");
}

BOOST_AUTO_TEST_CASE(random_matrices_in_chunks_and_slices_of_their_text) {
  const auto count = [](std::mt19937_64& random) { return static_cast<uint32_t>(1 + random() % 70'000); };
  check_random<uint32_t>(700, 90, {64, 16}, 1, count);
  check_random<uint32_t>(3, 40'000, {1, 1000}, 2, count);
  check_random<uint32_t>(40'000, 2, {977, 2}, 3, count);
  check_random<double>(120, 500, {120, 7}, 4, [](std::mt19937_64& random) {
    return std::ldexp(static_cast<double>(random()), -70);
  });
  check_random<int64_t>(50, 300, {50, 300}, 5,
                        [](std::mt19937_64& random) { return static_cast<int64_t>(random() | 1); });
}

BOOST_AUTO_TEST_CASE(header_and_size_come_from_one_pass_over_the_array) {
  // The array is larger than the cache, so that a second pass would decode all of its 64 chunks again.
  const uint64_t lines = 512, width = 1024;
  std::vector<int32_t> values(lines * width);
  for (uint64_t i = 0; i < values.size(); i += 3) values[i] = 1;
  TestContext context(uint64_t{1536} << 10, 1);
  const auto array = std::make_shared<ChunkedCopy>(context, numbers(values, {lines, width}), Shape{128, 64});
  TextFile file(dense_mtx(array, true, context), context);
  BOOST_TEST(file.size() > 0u);
  BOOST_TEST(array->chunks_decoded() < 2 * 64u);
  BOOST_TEST(read_text(file, 0, 80).find("1024 512 174763\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(entries_per_cell_come_from_the_pass_of_the_text) {
  for_counted_matrices([](CountedMatrix& matrix, bool cells_are_rows) {
    TextFile file(dense_mtx(matrix.values, cells_are_rows, matrix.context), matrix.context);
    BOOST_TEST(file.size() > 0u);
    whole_text(file);  // a block formatted again counts once
    matrix.context.wait_for_jobs();
    const uint64_t decoded = matrix.chunks->chunks_decoded();
    BOOST_TEST(entries_of_cells(matrix.values, cells_are_rows, matrix.context) == matrix.pointer);
    BOOST_TEST(matrix.chunks->chunks_decoded() == decoded);
  });
}

BOOST_AUTO_TEST_CASE(header_takes_the_entry_count_from_any_pass) {
  for_counted_matrices([](CountedMatrix& matrix, bool cells_are_rows) {
    BOOST_TEST(entries_of_cells(matrix.values, cells_are_rows, matrix.context) == matrix.pointer);
    const auto text = dense_mtx(matrix.values, cells_are_rows, matrix.context);
    text->prepare();
    const uint64_t decoded = matrix.chunks->chunks_decoded();
    BOOST_TEST(text->head().find(fmt::format(" {}\n", matrix.pointer.back())) != std::string::npos);
    BOOST_TEST(matrix.chunks->chunks_decoded() == decoded);
  });
}

BOOST_AUTO_TEST_CASE(non_numeric_array_is_no_matrix) {
  TestContext context;
  const auto error_of = [&](ArrayPtr values) {
    return message_of([&] { text_of(std::move(values), false); });
  };
  BOOST_TEST(error_of(numbers<int>({1, 2})) == "a matrix of rank 1");
  BOOST_TEST(error_of(typed(text_type(), {0, 0}, {})).find("a matrix of") == 0u);
}

// Counts made before a fault are not repeated after it.
BOOST_AUTO_TEST_CASE(entries_are_right_after_a_fault_in_the_middle) {
  struct Faulty : Array {
    explicit Faulty(ArrayPtr of) : Array(of->dtype(), of->shape()), array(std::move(of)) {}
    Elements read(const Box& box) const override {
      if (reads++ == 3) throw unreadable("for now");
      return array->read(box);
    }
    ArrayPtr array;
    mutable std::atomic<int> reads{0};
  };
  const uint64_t lines = 4000, width = 200;
  const std::vector<int32_t> values(lines * width, 1);
  TestContext context(uint64_t{64} << 20, 1);
  TextFile file(dense_mtx(std::make_shared<Faulty>(numbers(values, {lines, width})), false, context),
                context);
  BOOST_CHECK_THROW(file.size(), Error);
  BOOST_TEST((whole_text(file) == expected(values, lines, width, false)));
}

// A shape needs no bytes in a store.
BOOST_AUTO_TEST_CASE(vast_empty_matrix_takes_no_memory) {
  struct Endless : Array {
    Endless() : Array(number_type(Kind::real, 8), {uint64_t{1} << 50, 1000}) {}
    Elements read(const Box&) const override { throw damaged("read"); }
  };
  BOOST_TEST(message_of([] {
               text_of(std::make_shared<Endless>(), false);
             }).find("blocks of 192 KiB is too large") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
