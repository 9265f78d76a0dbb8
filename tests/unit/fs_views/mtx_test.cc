#include "fs/views/matrix/matrix_files.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

namespace {

// 4 x 3: (1,1)=5, (4,1)=0, (2,3)=70000.
SparseMatrix small_matrix() {
  SparseMatrix matrix;
  matrix.rows = 4;
  matrix.columns = 3;
  matrix.value = numbers<uint32_t>({5, 0, 70000});
  matrix.index = numbers<uint32_t>({0, 3, 1});
  matrix.pointer = numbers<uint64_t>({0, 2, 2, 3});
  return matrix;
}

std::string mtx_of(const SparseMatrix& matrix) {
  TestContext context;
  return whole_text(mtx(matrix, context), context);
}

// Returns the lines after the banner and the sizes.
std::string entries_of(const SparseMatrix& matrix) {
  const std::string text = mtx_of(matrix);
  return text.substr(text.find('\n', text.find('\n') + 1) + 1);
}

std::string error_of(const SparseMatrix& matrix) {
  return message_of([&] { mtx_of(matrix); });
}

struct Sizes {
  uint64_t rows, columns, entries;
};

// Random entries and their text. Value: a number type.
template <class Value, class Index, class Make>
void check_random(const Sizes& sizes, bool by_row, uint64_t seed, Make&& make_value) {
  std::mt19937_64 random(seed);
  const uint64_t majors = by_row ? sizes.rows : sizes.columns, minors = by_row ? sizes.columns : sizes.rows;
  std::vector<Value> values;
  std::vector<Index> indices;
  std::vector<int64_t> pointers(majors + 1);
  for (uint64_t i = 0; i < sizes.entries; ++i) ++pointers[1 + random() % (1 + random() % majors)];
  const bool whole = std::is_integral_v<Value>;
  std::string want = fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
                                 whole ? "integer" : "real", sizes.rows, sizes.columns, sizes.entries);
  for (uint64_t major = 0; major < majors; ++major) {
    for (int64_t i = 0; i < pointers[major + 1]; ++i) {
      indices.push_back(static_cast<Index>(random() % minors));
      values.push_back(make_value(random));
      char text[kNumberTextMax];
      const std::string value(text, write_number(text, values.back()));
      const uint64_t minor = static_cast<uint64_t>(indices.back()) + 1;
      want += fmt::format("{} {} {}\n", by_row ? major + 1 : minor, by_row ? minor : major + 1, value);
    }
    pointers[major + 1] += pointers[major];
  }
  SparseMatrix matrix;
  matrix.rows = sizes.rows;
  matrix.columns = sizes.columns;
  matrix.by_row = by_row;
  matrix.value = numbers(values);
  matrix.index = numbers(indices);
  matrix.pointer = numbers(pointers);
  TestContext context;
  TextFile file(mtx(matrix, context), context);
  BOOST_TEST((whole_text(file) == want));
  BOOST_TEST(slices_match(file, want, random, 40));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mtx_view)

BOOST_AUTO_TEST_CASE(entries_are_shown_in_the_order_stored) {
  BOOST_TEST(mtx_of(small_matrix()) ==
             "%%MatrixMarket matrix coordinate integer general\n4 3 3\n1 1 5\n4 1 0\n2 3 70000\n");
}

BOOST_AUTO_TEST_CASE(csr_pointer_runs_over_rows) {
  SparseMatrix matrix = small_matrix();
  std::swap(matrix.rows, matrix.columns);
  matrix.by_row = true;
  BOOST_TEST(mtx_of(matrix) ==
             "%%MatrixMarket matrix coordinate integer general\n3 4 3\n1 1 5\n1 4 0\n3 2 70000\n");
}

BOOST_AUTO_TEST_CASE(banner_names_the_type_of_the_values) {
  SparseMatrix matrix = small_matrix();
  matrix.value = numbers<double>({0.5, -0.0, NAN});
  BOOST_TEST(mtx_of(matrix).starts_with("%%MatrixMarket matrix coordinate real general\n"));
  BOOST_TEST(entries_of(matrix) == "1 1 0.5\n4 1 -0\n2 3 NaN\n");
  matrix.value =
      std::make_shared<MemoryArray>(number_type(Kind::boolean, 1), Shape{3}, elements_of<uint8_t>({1, 0, 1}));
  BOOST_TEST(mtx_of(matrix).starts_with("%%MatrixMarket matrix coordinate integer general\n"));
  BOOST_TEST(entries_of(matrix) == "1 1 1\n4 1 0\n2 3 1\n");
  DType logical = number_type(Kind::logical, 4);
  Elements values = elements_of<int32_t>({1, 0, 2});
  values.missing = {0, 0, 1};
  matrix.value = std::make_shared<MemoryArray>(logical, Shape{3}, std::move(values));
  BOOST_TEST(entries_of(matrix) == "1 1 1\n4 1 0\n2 3 NA\n");
  matrix.value = text_array({"a", "b", "c"});
  BOOST_TEST(error_of(matrix).find("sparse matrix of") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(matrices_without_entries_rows_or_columns) {
  SparseMatrix matrix = small_matrix();
  matrix.value = numbers<uint32_t>({});
  matrix.index = numbers<uint32_t>({});
  matrix.pointer = numbers<uint64_t>({0, 0, 0, 0});
  BOOST_TEST(mtx_of(matrix) == "%%MatrixMarket matrix coordinate integer general\n4 3 0\n");
  matrix.columns = 0;
  matrix.pointer = numbers<uint64_t>({0});
  BOOST_TEST(mtx_of(matrix) == "%%MatrixMarket matrix coordinate integer general\n4 0 0\n");
  matrix.pointer = numbers<uint64_t>({0, 0});  // in the form that BPCells writes
  BOOST_TEST(mtx_of(matrix) == "%%MatrixMarket matrix coordinate integer general\n4 0 0\n");
  matrix.pointer = numbers<uint64_t>({0, 0, 0});
  BOOST_TEST(!error_of(matrix).empty());
}

BOOST_AUTO_TEST_CASE(mismatched_parts_are_damage) {
  const auto with = [](auto&& change) {
    SparseMatrix matrix = small_matrix();
    change(matrix);
    return error_of(matrix);
  };
  const auto mentions = [](const std::string& message, const char* words) {
    return message.find(words) != std::string::npos;
  };
  BOOST_TEST(mentions(with([](auto& m) { m.value = numbers<uint32_t>({1, 2}); }), "2 values and 3 indices"));
  BOOST_TEST(mentions(with([](auto& m) {
                        m.pointer = numbers<uint64_t>({0, 2, 3});
                      }),
                      "3 pointers for 3 columns"));
  BOOST_TEST(mentions(with([](auto& m) {
                        m.pointer = numbers<uint64_t>({0, 2, 1, 3});
                      }),
                      "pointer 2 is 1 after 2"));
  BOOST_TEST(mentions(with([](auto& m) { m.pointer = numbers<uint64_t>({1, 2, 2, 3}); }), "pointer 0 is 1"));
  BOOST_TEST(mentions(with([](auto& m) { m.pointer = numbers<uint64_t>({0, 2, 2, 4}); }), "pointer 3 is 4"));
  BOOST_TEST(mentions(with([](auto& m) { m.pointer = numbers<uint64_t>({0, 2, 2, 2}); }), "end at 2"));
  BOOST_TEST(mentions(with([](auto& m) { m.pointer = numbers<int32_t>({0, -1, 2, 3}); }), "pointer -1"));
  BOOST_TEST(mentions(with([](auto& m) { m.index = numbers<uint32_t>({0, 4, 1}); }), "row 4 is not below 4"));
  BOOST_TEST(mentions(with([](auto& m) { m.index = numbers<int32_t>({0, -1, 1}); }), "row -1"));
  BOOST_TEST(mentions(with([](auto& m) { m.error = damaged("no storage order"); }), "no storage order"));
  BOOST_TEST(mentions(
      with([](auto& m) { m.index = std::make_shared<BrokenArray>(type_of<int>(), damaged("cut")); }), "cut"));
}

BOOST_AUTO_TEST_CASE(any_matrix_matches_a_plain_writer) {
  const auto small = [](auto& random) {
    return static_cast<uint32_t>(random() % 4 == 0 ? random() : random() % 10);
  };
  const auto real = [](auto& random) {
    return std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -60);
  };
  check_random<uint32_t, uint32_t>({33000, 700, 60000}, false, 1, small);
  check_random<uint32_t, int32_t>({700, 33000, 60000}, true, 2, small);
  check_random<uint32_t, uint32_t>({UINT32_MAX, 3, 20000}, false, 3, small);
  check_random<uint32_t, uint64_t>({uint64_t{1} << 40, 3, 20000}, false, 4, small);
  check_random<uint32_t, uint16_t>({60000, 100000, 30000}, false, 5, small);
  check_random<double, int64_t>({1000, 20, 30000}, false, 6, real);
  check_random<float, int32_t>({1000, 20, 30000}, true, 7,
                               [&](auto& random) { return static_cast<float>(real(random)); });
  const auto count = [&](auto& random) {
    return random() % 3000 == 0 ? real(random)
                                : static_cast<double>(random() % 1000 == 0 ? random() >> 39 : random() % 9);
  };
  check_random<double, int32_t>({1000, 20, 30000}, false, 10, count);
  check_random<float, int32_t>({1000, 20, 30000}, true, 11,
                               [&](auto& random) { return static_cast<float>(count(random)); });
  check_random<float, int32_t>({1000, 20, 3000}, false, 12,
                               [](auto& random) { return random() % 200 == 0 ? -0.0f : 1.0f; });
  check_random<int16_t, int32_t>({1000, 20, 20000}, false, 8,
                                 [](auto& random) { return static_cast<int16_t>(random()); });
  check_random<int64_t, int32_t>({1000, 20, 20000}, false, 9,
                                 [](auto& random) { return static_cast<int64_t>(random()); });
}

// More empty columns than pointers are read at once, and blocks that begin in the middle of a column.
BOOST_AUTO_TEST_CASE(columns_may_be_empty_by_the_hundred_thousand) {
  constexpr uint64_t kColumns = 300000;
  SparseMatrix matrix;
  matrix.rows = 10;
  matrix.columns = kColumns;
  std::vector<uint64_t> pointers(kColumns + 1, 20000);
  pointers[0] = 0;
  std::fill(pointers.begin() + 150000, pointers.end(), 20001);
  matrix.pointer = numbers(pointers);
  matrix.value = numbers(std::vector<uint8_t>(20001, 3));
  matrix.index = numbers(std::vector<uint8_t>(20001, 9));
  std::string want;
  for (int i = 0; i < 20000; ++i) want += "10 1 3\n";
  BOOST_TEST((entries_of(matrix) == want + "10 150000 3\n"));
}

// takane: the type of a matrix is separate from the stored type of its values.
BOOST_AUTO_TEST_CASE(whole_numbers_may_be_reals) {
  SparseMatrix matrix = small_matrix();
  matrix.is_real = true;
  BOOST_TEST(mtx_of(matrix) ==
             "%%MatrixMarket matrix coordinate real general\n4 3 3\n1 1 5\n4 1 0\n2 3 70000\n");
}

BOOST_AUTO_TEST_CASE(missing_values_follow_the_matrix) {
  SparseMatrix matrix = small_matrix();
  matrix.value = with_missing(matrix.value, [](const Elements& elements, std::vector<uint8_t>& missing) {
    for (uint64_t i = 0; i < elements.count; ++i) missing[i] = elements.values<uint32_t>()[i] == 5;
  });
  BOOST_TEST(entries_of(matrix) == "1 1 NA\n4 1 0\n2 3 70000\n");
  matrix.missing = MissingEntries::shown_as_nan;
  BOOST_TEST(entries_of(matrix) == "1 1 NaN\n4 1 0\n2 3 70000\n");
  matrix.missing = MissingEntries::refused;
  BOOST_TEST(error_of(matrix).find("no missing values") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(unsorted_indices_are_reported) {
  const auto reports = [](std::vector<uint32_t> index) {
    SparseMatrix matrix = small_matrix();
    std::atomic<int> reported{0};
    matrix.index = numbers(index);
    matrix.on_unsorted_index = [&reported] { ++reported; };
    mtx_of(matrix);
    return reported > 0;
  };
  BOOST_TEST(!reports({0, 3, 1}));
  BOOST_TEST(reports({3, 0, 1}));
  BOOST_TEST(reports({3, 3, 1}));
}

// The first entry of a block follows the last of the previous one.
BOOST_AUTO_TEST_CASE(decrease_between_two_blocks_is_found) {
  constexpr uint32_t kEntries = 50000;
  const auto reports_for = [](uint32_t fall) {
    std::vector<uint32_t> index(kEntries), value(kEntries, 1);
    for (uint32_t i = 0; i < kEntries; ++i) index[i] = i < fall ? i : i - 1;
    SparseMatrix matrix;
    matrix.rows = kEntries;
    matrix.columns = 1;
    matrix.value = numbers(value);
    matrix.index = numbers(index);
    matrix.pointer = numbers<uint64_t>({0, kEntries});
    std::atomic<int> reported{0};
    matrix.on_unsorted_index = [&reported] { ++reported; };
    mtx_of(matrix);
    return reported.load();
  };
  for (uint32_t fall = 128; fall < kEntries; fall += 128) BOOST_REQUIRE_EQUAL(reports_for(fall), 1);
  BOOST_TEST(reports_for(kEntries) == 0);
}

BOOST_AUTO_TEST_CASE(evaluated_matrix_is_computed_on_read) {
  SparseMatrix matrix = small_matrix();
  SparseMatrix later;
  later.rows = matrix.rows;
  later.columns = matrix.columns;
  int times = 0;
  later.evaluate = [&] { return ++times, matrix; };
  TestContext context;
  const auto source = mtx(later, context);
  BOOST_TEST(times == 0);
  BOOST_TEST(mtx_of(later) == mtx_of(matrix));
  BOOST_TEST(times == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
