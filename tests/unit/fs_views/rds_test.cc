#include "fs/views/r/rds.h"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "formats/core/model/arrays/counted_times.h"
#include "formats/core/model/arrays/derived_array.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"
#include "tests/unit/fs_layout/memory_text.h"

namespace plainfs {

namespace {

// Returns a file written by R's saveRDS.
std::string genuine(const std::string& name) {
  return test_file("tool-files/rds/" + name + ".v3.rds");
}

template <class LayOut>
std::string bytes_of(LayOut&& lay_out) {
  TestContext context;
  const auto file = layout_file([&] { return lay_out(context); }, context);
  return whole_text(*file);
}
std::string rds_of(const Table& table) {
  return bytes_of([&](Context& context) { return table_rds(table, context); });
}
std::string rds_of(const LabelledArray& array) {
  return bytes_of([&](Context& context) { return array_rds(array, context); });
}
std::string rds_of(const SparseMatrix& matrix) {
  return bytes_of([&](Context& context) { return sparse_rds(matrix, context); });
}

std::string rds_of(const CoordinateMatrix& matrix) {
  return bytes_of([&](Context& context) { return coordinates_rds(matrix, context); });
}

std::string big_endian(uint64_t value, size_t bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(value >> (8 * bytes));
  return text;
}

constexpr uint64_t kMissingReal = 0x7ff00000000007a2;

// Returns the bytes of a vector of doubles with or without attributes, up to its values.
std::string words(const std::vector<uint64_t>& bits, bool has_class) {
  std::string bytes = big_endian(has_class ? 0x30e : 0xe, 4) + big_endian(bits.size(), 4);
  for (const uint64_t each : bits) bytes += big_endian(each, 8);
  return bytes;
}
std::string reals(const std::vector<double>& values, bool has_class) {
  std::vector<uint64_t> bits;
  for (const double value : values)
    bits.push_back(std::isnan(value) ? kMissingReal : std::bit_cast<uint64_t>(value));
  return words(bits, has_class);
}

// Returns a string of R.
std::string r_text(std::string_view text) {
  return big_endian(0x40009, 4) + big_endian(text.size(), 4) + std::string(text);
}

// Returns the attribute class, at its first occurrence in the file, up to its first text.
std::string class_of(std::string_view first, size_t count = 1) {
  return big_endian(0x402, 4) + big_endian(1, 4) + r_text("class") + big_endian(0x10, 4) +
         big_endian(count, 4) + r_text(first);
}

ArrayPtr times_of(Kind kind, TimeUnit unit, const std::vector<int64_t>& counts) {
  DType type = number_type(kind, 8);
  type.time_unit = unit;
  return std::make_shared<MemoryArray>(type, Shape{counts.size()}, elements_of(counts));
}

// Marks elements as missing.
ArrayPtr without(ArrayPtr values, std::vector<uint8_t> missing) {
  return with_missing(std::move(values),
                      [missing](const Elements&, std::vector<uint8_t>& out) { out = missing; });
}

ArrayPtr logicals(const std::vector<uint8_t>& values) {
  return std::make_shared<MemoryArray>(number_type(Kind::boolean, 1), Shape{values.size()},
                                       elements_of(values));
}

// Rows g1, g2, gé3: (1,1) = 1, (3,1) = 2.5, (2,3) = NA.
SparseMatrix small_matrix() {
  SparseMatrix matrix;
  matrix.rows = 3;
  matrix.columns = 4;
  matrix.value = without(numbers<double>({1, 2.5, 0}), {0, 0, 1});
  matrix.index = numbers<uint32_t>({0, 2, 1});
  matrix.pointer = numbers<uint64_t>({0, 2, 2, 3, 3});
  matrix.row_names = text_array({"g1", "g2", "g\u00e93"});
  matrix.column_names = text_array({"c1", "c2", "c3", "c4"});
  return matrix;
}

// Returns the same matrix by row.
SparseMatrix small_matrix_by_row() {
  SparseMatrix matrix = small_matrix();
  matrix.by_row = true;
  matrix.value = without(numbers<double>({1, 0, 2.5}), {0, 1, 0});
  matrix.index = numbers<uint32_t>({0, 2, 0});
  matrix.pointer = numbers<uint64_t>({0, 1, 2, 3});
  return matrix;
}

Table small_table(Context& context) {
  Table table;
  table.rows = 3;
  table.columns = {
      {"f",
       factor(without(numbers<int32_t>({2, 1, 0}), {0, 0, 1}), text_array({"b", "a"}), 1, "/f", context)},
      {"l", without(logicals({1, 0, 0}), {0, 1, 0})},
      {"i", without(numbers<int32_t>({1, 0, 3}), {0, 1, 0})},
      {"d", without(numbers<double>({1.5, 0, std::nan("7")}), {0, 1, 0})},
      {"s", without(text_array({"x", "", "\u00fc"}), {0, 1, 0})},
  };
  return table;
}

LabelledArray labelled(ArrayPtr values, std::vector<std::string> rows, std::vector<std::string> columns) {
  return {std::move(values), rows.empty() ? nullptr : text_array(rows),
          columns.empty() ? nullptr : text_array(columns)};
}

template <class Content>
bool refuses(const Content& content, std::string_view words) {
  const std::string message = message_of([&] { rds_of(content); });
  BOOST_TEST_INFO(message);
  return message.find(words) != std::string::npos;
}

// An entry that occurs twice.
CoordinateMatrix small_coordinates() {
  CoordinateMatrix matrix;
  matrix.rows = 3;
  matrix.columns = 4;
  matrix.row = numbers<uint32_t>({2, 0, 0});
  matrix.column = numbers<uint32_t>({0, 0, 0});
  matrix.value = numbers<double>({1, 2, 3});
  return matrix;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rds_files)

BOOST_AUTO_TEST_CASE(sparse_matrices_match_r) {
  BOOST_TEST((rds_of(small_matrix()) == genuine("dgC")));
  BOOST_TEST((rds_of(small_matrix_by_row()) == genuine("dgR")));
  SparseMatrix matrix = small_matrix();
  matrix.row_names = matrix.column_names = nullptr;
  BOOST_TEST((rds_of(matrix) == genuine("dgC_nonames")));
  for (const bool by_row : {false, true}) {
    matrix = by_row ? small_matrix_by_row() : small_matrix();
    matrix.row_names = text_array({"g1", "g2", "g3"});
    matrix.column_names = nullptr;
    matrix.value = by_row ? without(logicals({1, 0, 0}), {0, 1, 0}) : without(logicals({1, 0, 0}), {0, 0, 1});
    BOOST_TEST((rds_of(matrix) == genuine(by_row ? "lgR" : "lgC")));
  }
}

BOOST_AUTO_TEST_CASE(coordinates_match_r) {
  BOOST_TEST((rds_of(small_coordinates()) == genuine("dgT")));
  CoordinateMatrix matrix = small_coordinates();
  matrix.row = numbers<int64_t>({0, 3, 1});
  BOOST_TEST(refuses(matrix, "row 3 is not below 3"));
  matrix.row = numbers<int64_t>({0, -1, 1});
  BOOST_TEST(refuses(matrix, "row -1 is not below 3"));
  matrix.row = numbers<int64_t>({0, 1});
  BOOST_TEST(refuses(matrix, "3 values and 2 indices"));
  matrix = small_coordinates();
  matrix.columns = uint64_t{1} << 31;
  BOOST_TEST(refuses(matrix, "2147483648 columns are too many"));
}

BOOST_AUTO_TEST_CASE(symmetric_matrix_stores_one_triangle) {
  CoordinateMatrix matrix = small_coordinates();
  matrix.columns = 3;
  matrix.is_symmetric = true;
  const std::string rds = rds_of(matrix);
  const size_t x = rds.find("\x01x"), uplo = rds.find("uplo");
  BOOST_TEST(rds.find("dsTMatrix") != rds.npos);
  BOOST_TEST(uplo != rds.npos);
  BOOST_TEST(rds.substr(uplo + 4, 17) == std::string("\0\0\0\x10\0\0\0\1\0\4\0\x09\0\0\0\1L", 17));
  BOOST_TEST(uplo > x);
  BOOST_TEST(uplo < rds.find("factors"));
}

BOOST_AUTO_TEST_CASE(tables_match_r) {
  TestContext context;
  Table table = small_table(context);
  BOOST_TEST((rds_of(table) == genuine("df_compact")));
  table.row_names = text_array({"r1", "r2", "r3"});
  BOOST_TEST((rds_of(table) == genuine("df_rownames")));

  Table ordered;
  ordered.rows = 3;
  ordered.columns = {
      {"f", factor(numbers<int8_t>({1, 0, -1}), text_array({"b", "a"}), 0, "/f", context, true)}};
  BOOST_TEST((rds_of(ordered) == genuine("df_ordered")));

  Table empty;
  empty.columns = {{"f", factor(numbers<int8_t>({}), text_array({"b", "a"}), 0, "/f", context)},
                   {"l", logicals({})},
                   {"i", numbers<int32_t>({})},
                   {"d", numbers<double>({})},
                   {"s", text_array({})}};
  BOOST_TEST((rds_of(empty) == genuine("df_norows")));

  Table none;
  none.rows = 3;
  BOOST_TEST((rds_of(none) == genuine("df_nocols")));
  none.rows = 2;
  none.row_names = text_array({"a", "b"});
  BOOST_TEST((rds_of(none) == genuine("df_nocols_names")));
}

BOOST_AUTO_TEST_CASE(matrices_and_arrays_match_r) {
  const ArrayPtr numeric = without(numbers<double>({1, 3, 5, 2, 0, 6}, {2, 3}), {0, 0, 0, 0, 1, 0});
  BOOST_TEST((rds_of(labelled(numeric, {"a", "b"}, {"x", "y", "z"})) == genuine("mat_num")));
  const ArrayPtr text =
      without(std::make_shared<MemoryArray>(text_type(), Shape{2, 2},
                                            read_all(*text_array({"p", "q", "", "\u00e9"}))),
              {0, 0, 1, 0});
  BOOST_TEST((rds_of(labelled(text, {}, {"x", "y"})) == genuine("mat_txt")));
  BOOST_TEST(
      (rds_of(labelled(numbers<int32_t>({1, 3, 2, 4}, {2, 2}), {}, {})) == genuine("mat_int_nonames")));
  BOOST_TEST(
      (rds_of(labelled(numbers<double>({1, 5, 3, 7, 2, 6, 4, 8}, {2, 2, 2}), {}, {})) == genuine("arr3d")));
}

BOOST_AUTO_TEST_CASE(column_major_arrays_keep_their_order) {
  const auto values = std::make_shared<MemoryArray>(type_of<int32_t>(), Shape{2, 2},
                                                    elements_of<int32_t>({1, 2, 3, 4}), Attributes{}, true);
  BOOST_TEST((rds_of(LabelledArray{values, nullptr, nullptr}) == genuine("mat_int_nonames")));
}

BOOST_AUTO_TEST_CASE(entries_out_of_order_are_put_in_order) {
  SparseMatrix matrix = small_matrix();
  matrix.value = without(numbers<double>({2.5, 1, 0}), {0, 0, 1});
  matrix.index = numbers<int64_t>({2, 0, 1});
  BOOST_TEST((rds_of(matrix) == genuine("dgC")));
}

BOOST_AUTO_TEST_CASE(content_unsupported_by_r_is_refused) {
  SparseMatrix matrix = small_matrix();
  matrix.index = numbers<uint32_t>({2, 2, 1});
  BOOST_TEST(refuses(matrix, "cannot have repeated entries: row 2 occurs twice in column 0"));
  matrix = small_matrix();
  matrix.index = numbers<uint32_t>({0, 3, 1});
  BOOST_TEST(refuses(matrix, "row 3 is not below 3"));
  matrix.index = numbers<uint32_t>({0, 1, 3});  // the last one is alone in its column
  BOOST_TEST(refuses(matrix, "row 3 is not below 3"));
  matrix.index = numbers<int32_t>({0, -1, 1});
  BOOST_TEST(refuses(matrix, "row -1 is not below 3"));
  matrix.index = numbers<int64_t>({0, -1, 1});
  BOOST_TEST(refuses(matrix, "row -1 is not below 3"));
  matrix.index = numbers<int64_t>({0, int64_t{1} << 32, 1});
  BOOST_TEST(refuses(matrix, "row 4294967296 is not below 3"));
  matrix.rows = uint64_t{1} << 31;
  BOOST_TEST(refuses(matrix, "2147483648 rows"));
  matrix = small_matrix();
  matrix.pointer = numbers<uint64_t>({0, 2, 1, 3, 3});
  BOOST_TEST(refuses(matrix, "pointer 2 is 1 after 2"));
  matrix = small_matrix();
  matrix.error = damaged("no shape");
  BOOST_TEST(refuses(matrix, "no shape"));

  LabelledArray array{numbers<int64_t>({(int64_t{1} << 53) + 1}, {1, 1}), nullptr, nullptr};
  BOOST_TEST(refuses(array, "9007199254740993 is too large for R's integers"));
  array.values = numbers<int32_t>({std::numeric_limits<int32_t>::min()}, {1, 1});
  BOOST_TEST(refuses(array, "cannot represent -2147483648"));

  Table table;
  table.rows = 1;
  table.columns = {{"c", text_array({"\xff"})}};
  BOOST_TEST(refuses(table, "UTF-8"));
  table.columns = {{"c", numbers<double>({1, 2})}};
  BOOST_TEST(refuses(table, "column c has 2 values for 1 rows"));
}

BOOST_AUTO_TEST_CASE(times_of_r_keep_their_class_and_number) {
  const auto rds_with = [](ArrayPtr values) { return rds_of(Table{4, nullptr, {{"x", std::move(values)}}}); };
  const TextAttributes instants{{"class", {"POSIXct", "POSIXt"}}, {"tzone", {"Europe/Zurich"}}};
  const auto stored = without(numbers<double>({0.5, 0, INFINITY, -INFINITY}), {0, 1, 0, 0});
  const std::string rds =
      rds_with(counted_times(stored, TimeUnit::second, std::make_shared<const TextAttributes>(instants)));
  const std::string tzone = big_endian(0x402, 4) + big_endian(1, 4) + r_text("tzone") + big_endian(0x10, 4) +
                            big_endian(1, 4) + r_text("Europe/Zurich") + big_endian(0xfe, 4);
  BOOST_TEST(rds.find(reals({0.5, std::nan(""), INFINITY, -INFINITY}, true) + class_of("POSIXct", 2) +
                      r_text("POSIXt") + tzone) != rds.npos);
  const TextAttributes days{{"class", {"IDate", "Date"}}};
  const std::string integers =
      rds_with(counted_times(without(numbers<int32_t>({1, 0, 3, 4}), {0, 1, 0, 0}), TimeUnit::day,
                             std::make_shared<const TextAttributes>(days)));
  BOOST_TEST(integers.find(big_endian(0x30d, 4) + big_endian(4, 4) + big_endian(1, 4) +
                           big_endian(0x80000000, 4) + big_endian(3, 4) + big_endian(4, 4) +
                           class_of("IDate", 2)) != rds.npos);
}

// VIEWS 10 "In a table of any other store points in time are Date"
BOOST_AUTO_TEST_CASE(dates_and_instants_need_exact_doubles) {
  const auto rds_with = [](TimeUnit unit, std::vector<int64_t> counts) {
    return rds_of(Table{counts.size(), nullptr, {{"x", times_of(Kind::time_point, unit, counts)}}});
  };
  const std::string days = rds_with(TimeUnit::day, {18262, INT64_MIN});
  BOOST_TEST(days.find(reals({18262, std::nan("")}, true) + class_of("Date")) != days.npos);
  const std::string nanos = rds_with(TimeUnit::nano, {1500000000, INT64_MIN});
  BOOST_TEST(nanos.find(reals({1.5, std::nan("")}, true) + class_of("POSIXct", 2)) != nanos.npos);
  // Text if one of them has no number that reads back to it. A missing one stays missing.
  const std::string texts = rds_with(TimeUnit::nano, {1700000000123456789, INT64_MIN});
  BOOST_TEST(texts.find(r_text("2023-11-14T22:13:20.123456789") + big_endian(9, 4) +
                        big_endian(0xffffffff, 4)) != texts.npos);
  const std::string months = rds_with(TimeUnit::month, {1, INT64_MIN});
  BOOST_TEST(months.find(r_text("1970-02") + big_endian(9, 4) + big_endian(0xffffffff, 4)) != months.npos);
}

BOOST_AUTO_TEST_CASE(not_a_time_span_is_missing) {
  const std::string rds =
      rds_of(Table{2, nullptr, {{"x", times_of(Kind::time_span, TimeUnit::second, {3, INT64_MIN})}}});
  BOOST_TEST(rds.find(reals({3, std::nan("")}, false)) != rds.npos);
}

// VIEWS 10 "Integers of a table that do not fit R's own"
BOOST_AUTO_TEST_CASE(integers_have_the_first_sufficient_type) {
  const auto rds_with = [](ArrayPtr values) {
    return rds_of(Table{values->count(), nullptr, {{"x", std::move(values)}}});
  };
  const std::string least = rds_with(without(numbers<int32_t>({INT32_MIN, 0}), {0, 1}));
  BOOST_TEST(least.find(reals({-2147483648.0, std::nan("")}, false)) != least.npos);
  const int64_t exact = int64_t{1} << 53;
  const std::string doubles = rds_with(without(numbers<int64_t>({exact, 0}), {0, 1}));
  BOOST_TEST(doubles.find(reals({9007199254740992.0, std::nan("")}, false)) != doubles.npos);
  const std::string large = rds_with(without(numbers<int64_t>({exact + 1, -1, 0}), {0, 0, 1}));
  BOOST_TEST(large.find(words({uint64_t{exact} + 1, ~uint64_t{0}, uint64_t{1} << 63}, true) +
                        class_of("integer64")) != large.npos);
  const std::string beyond = rds_with(numbers<uint64_t>({UINT64_MAX, 1}));
  BOOST_TEST(beyond.find(r_text("18446744073709551615") + r_text("1")) != beyond.npos);
  const std::string lowest = rds_with(numbers<int64_t>({INT64_MIN}));
  BOOST_TEST(lowest.find(r_text("-9223372036854775808")) != lowest.npos);
  const std::string spans = rds_with(times_of(Kind::time_span, TimeUnit::nano, {exact + 1, INT64_MIN}));
  BOOST_TEST(spans.find(words({uint64_t{exact} + 1, uint64_t{1} << 63}, true) + class_of("integer64")) !=
             spans.npos);
}

// A column with such a text is left out with a warning.
BOOST_AUTO_TEST_CASE(a_column_with_a_nul_is_left_out) {
  Table table;
  table.rows = 1;
  table.columns = {{"n", numbers<double>({1})}};
  const auto without = rds_of(table);
  table.columns.push_back({"c", text_array({std::string("a\0b", 3)})});
  BOOST_TEST((rds_of(table) == without));
}

BOOST_AUTO_TEST_CASE(a_column_of_an_unknown_codec_is_not_left_out) {
  Table table;
  table.rows = 1;
  table.columns = {{"n", numbers<double>({1})},
                   {"c", std::make_shared<BrokenArray>(text_type(), undecodable("codec x"))}};
  BOOST_CHECK_EXCEPTION(rds_of(table), Error, mentions("codec x"));
}

BOOST_AUTO_TEST_CASE(numeric_and_logical_levels_become_text) {
  TestContext context;
  const auto rds_with = [&](ArrayPtr levels) {
    Table table;
    table.rows = 2;
    table.columns = {{"f", factor(numbers<int8_t>({1, 0}), std::move(levels), 0, "/f", context)}};
    return rds_of(table);
  };
  BOOST_TEST((rds_with(numbers<double>({0.5, 1e16})) == rds_with(text_array({"0.5", "1e+16"}))));
  BOOST_TEST((rds_with(logicals({1, 0})) == rds_with(text_array({"TRUE", "FALSE"}))));
}

// A factor with a level twice, or a missing one, is text.
BOOST_AUTO_TEST_CASE(levels_invalid_in_r_become_text) {
  TestContext context;
  Table as_text, as_factor;
  as_text.rows = as_factor.rows = 2;
  as_text.columns = {{"f", text_array({"a", "a"})}};
  as_factor.columns = {{"f", factor(numbers<int8_t>({0, 1}), text_array({"a", "a"}), 0, "/f", context)}};
  BOOST_TEST((rds_of(as_factor) == rds_of(as_text)));
}

// Random matrices with unsorted columns, in chunks, and larger than a block.
BOOST_AUTO_TEST_CASE(any_slice_equals_that_part_of_the_whole) {
  std::mt19937_64 random(4);
  constexpr uint64_t kRows = 50000, kColumns = 40;
  std::vector<uint32_t> rows, values;
  std::vector<uint64_t> pointers{0};
  std::string want_rows, want_values;
  for (uint64_t c = 0; c < kColumns; ++c) {
    std::vector<uint32_t> column;
    for (uint32_t r = 0; r < kRows; ++r)
      if (random() % 20 == 0) column.push_back(r);
    std::vector<uint32_t> stored = column;
    if (c % 3 == 0) std::shuffle(stored.begin(), stored.end(), random);
    for (const uint32_t r : stored) {
      rows.push_back(r);
      values.push_back(r % 7);
    }
    for (const uint32_t r : column) {
      const uint32_t swapped = __builtin_bswap32(r);
      want_rows.append(reinterpret_cast<const char*>(&swapped), 4);
    }
    pointers.push_back(rows.size());
  }
  TestContext context;
  SparseMatrix matrix;
  matrix.rows = kRows;
  matrix.columns = kColumns;
  const auto index = std::make_shared<ChunkedCopy>(context, numbers(rows), Shape{4096});
  const auto value = std::make_shared<ChunkedCopy>(context, numbers(values), Shape{4096});
  matrix.index = index;
  matrix.value = value;
  matrix.pointer = numbers(pointers);
  const auto file = layout_file([&] { return sparse_rds(matrix, context); }, context);
  BOOST_TEST(file->size() == 299 + 12 * rows.size() + 4 * (kColumns + 1) + 8);
  BOOST_TEST(index->chunks_decoded() == 0u);
  BOOST_TEST(value->chunks_decoded() == 0u);
  read_text(*file, 52 + 4 * (rows.size() * 3 / 4), 100);  // a jump: no read-ahead
  BOOST_TEST(index->chunks_decoded() <= 3u);
  BOOST_TEST(value->chunks_decoded() == 0u);

  const std::string whole = whole_text(*file);
  BOOST_TEST((whole.substr(52, want_rows.size()) == want_rows));
  BOOST_TEST(slices_match(*file, whole, random, 100));
}

// Texts are measured once. A read makes only the runs it touches.
BOOST_AUTO_TEST_CASE(slices_of_tables_and_dense_matrices_match) {
  std::mt19937_64 random(5);
  TestContext context;
  std::vector<std::string> texts(30000);
  for (std::string& text : texts) text.assign(random() % 30, 'x');
  std::vector<float> dense(300 * 700);
  for (float& value : dense) value = static_cast<float>(random() % 100) / 8;
  Table table;
  table.rows = texts.size();
  table.columns = {{"t", text_array(texts)}, {"n", numbers(std::vector<uint16_t>(texts.size(), 7))}};
  const auto chunked = std::make_shared<ChunkedCopy>(context, numbers(dense, {300, 700}), Shape{64, 50});
  for (const bool is_table : {true, false}) {
    const auto file = layout_file(
        [&] {
          return is_table ? table_rds(table, context) : array_rds({chunked, nullptr, nullptr}, context);
        },
        context);
    const std::string whole = whole_text(*file);
    BOOST_TEST(slices_match(*file, whole, random, 100));
    if (is_table) continue;
    for (const auto& [row, column] : {std::pair(0, 0), {17, 600}, {299, 699}}) {
      uint64_t bits = 0;
      std::memcpy(&bits, whole.data() + 31 + 8 * (column * 300 + row), 8);
      BOOST_TEST(std::bit_cast<double>(__builtin_bswap64(bits)) == dense[row * 700 + column]);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
