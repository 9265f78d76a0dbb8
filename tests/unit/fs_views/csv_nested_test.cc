#include "fs/views/table/csv_nested.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/core/model/arrays/nested_array.h"
#include "fs/text/field_text.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {
namespace {

ArrayPtr nested(ArrayPtr values, std::vector<ArrayPtr> ends) {
  return std::make_shared<NestedArray>(RowElements{nullptr, std::move(values), std::move(ends)});
}

std::string text_of(const Table& table) {
  TestContext context;
  return whole_text(csv_nested(table, context), context);
}

// Returns a table with one column c.
Table table_of(ArrayPtr cells, uint64_t rows) {
  Table table;
  table.rows = rows;
  table.columns.push_back({"c", std::move(cells)});
  return table;
}

// Returns the text of the only row, after the header. Checks that a NestedArray read as a whole gives the
// same.
std::string cell_of(ArrayPtr values, std::vector<ArrayPtr> ends) {
  const ArrayPtr cells = nested(std::move(values), std::move(ends));
  const std::string text = text_of(table_of(cells, 1));
  BOOST_TEST(text.starts_with("c\n"));
  std::string whole;
  StringSink sink(whole);
  const Elements elements = read_all(*cells);
  put_csv_text(elements.text(0), sink);
  BOOST_TEST(text.substr(2) == whole + "\n");
  return text.substr(2, text.size() - 3);
}

std::string error_of(ArrayPtr values, std::vector<ArrayPtr> ends, uint64_t rows) {
  return message_of([&] { text_of(table_of(nested(std::move(values), std::move(ends)), rows)); });
}

BOOST_AUTO_TEST_SUITE(csv_nested_view)

BOOST_AUTO_TEST_CASE(a_list_is_json_in_a_field) {
  const auto one_row = [](uint8_t count) { return std::vector<ArrayPtr>{numbers<uint8_t>({count})}; };
  BOOST_TEST(cell_of(numbers<int>({}), one_row(0)) == "[]");
  BOOST_TEST(cell_of(numbers<int>({7}), one_row(1)) == "[7]");
  BOOST_TEST(cell_of(numbers<int>({7, 8}), one_row(2)) == "\"[7,8]\"");
  BOOST_TEST(cell_of(numbers<double>({0.5}), one_row(1)) == "[0.5]");
  BOOST_TEST(cell_of(numbers<double>({NAN}), one_row(1)) == "\"[\"\"NaN\"\"]\"");
  BOOST_TEST(cell_of(numbers<float>({1, -INFINITY}), one_row(2)) == "\"[1,\"\"-Infinity\"\"]\"");
  BOOST_TEST(cell_of(text_array({"a\"b"}), one_row(1)) == R"("[""a\""b""]")");
}

BOOST_AUTO_TEST_CASE(lists_of_lists_keep_their_empty_ones) {
  const auto words = [](std::vector<uint8_t> inner) {
    const uint8_t last = inner.empty() ? 0 : inner.back();
    return cell_of(numbers(std::vector<int>(last, 5)),
                   {numbers<uint8_t>({static_cast<uint8_t>(inner.size())}), numbers(inner)});
  };
  BOOST_TEST(words({}) == "[]");
  BOOST_TEST(words({0}) == "[[]]");
  BOOST_TEST(words({0, 0}) == "\"[[],[]]\"");
  BOOST_TEST(words({1}) == "[[5]]");
  BOOST_TEST(words({1, 1, 3}) == "\"[[5],[],[5,5]]\"");
}

BOOST_AUTO_TEST_CASE(an_element_with_more_axes_is_lists_too) {
  BOOST_TEST(cell_of(numbers<int>({1, 2, 3, 4}, {1, 2, 2}), {}) == "\"[[1,2],[3,4]]\"");
  BOOST_TEST(cell_of(numbers<int>({}, {1, 0}), {}) == "[]");
  BOOST_TEST(cell_of(numbers<int>({}, {1, 2, 0}), {}) == "\"[[],[]]\"");
  BOOST_TEST(cell_of(numbers<int>({1, 2, 3, 4}, {2, 2}), {numbers<uint8_t>({2})}) == "\"[[1,2],[3,4]]\"");
}

BOOST_AUTO_TEST_CASE(a_compound_is_an_object) {
  const DType type = packed_compound_type({{"x", number_type(Kind::integer, 4), 0}, {"t", text_type(), 0}});
  Elements elements;
  elements.count = 1;
  elements.children = {elements_of<int32_t>({5}), read_all(*text_array({"a"}))};
  const auto values = std::make_shared<MemoryArray>(type, Shape{1}, elements);
  BOOST_TEST(cell_of(values, {}) == R"("{""x"":5,""t"":""a""}")");
  BOOST_TEST(cell_of(values, {numbers<uint8_t>({1})}) == R"("[{""x"":5,""t"":""a""}]")");
}

BOOST_AUTO_TEST_CASE(other_columns_and_row_names_are_as_in_any_table) {
  Table table = table_of(nested(numbers<int>({7}), {numbers<uint8_t>({0, 1})}), 2);
  table.columns.insert(table.columns.begin(), {{"a,b", text_array({"x", "NA"})}});
  table.columns.push_back({"n", numbers<double>({0.1, NAN})});
  BOOST_TEST(text_of(table) == "\"a,b\",c,n\nx,[],0.1\n\"NA\",[7],NaN\n");
  table.row_names = text_array({"r1", "r2"});
  BOOST_TEST(text_of(table) == "\"\",\"a,b\",c,n\nr1,x,[],0.1\nr2,\"NA\",[7],NaN\n");
}

BOOST_AUTO_TEST_CASE(table_with_a_nested_column_is_nested) {
  BOOST_TEST(has_nested_columns(table_of(nested(numbers<int>({}), {numbers<uint8_t>({})}), 0)));
  BOOST_TEST(!has_nested_columns(table_of(numbers<int>({}), 0)));
  BOOST_TEST(text_of(table_of(nested(numbers<int>({}), {numbers<uint8_t>({})}), 0)) == "c\n");
}

BOOST_AUTO_TEST_CASE(inconsistent_parts_are_damage) {
  const auto one = numbers<int>({1});
  BOOST_TEST(error_of(one, {numbers<uint8_t>({1, 0})}, 2) == "column c: index 1 is 0 after 1");
  BOOST_TEST(error_of(one, {numbers<uint8_t>({2})}, 1) == "column c: index 2 is not below 2");
  BOOST_TEST(error_of(one, {numbers<uint8_t>({1})}, 2) == "column c: 1 rows, expected 2");
  BOOST_TEST(error_of(numbers<int>({1, 2, 3}, {3, 1}), {}, 2) == "column c: 3 rows, expected 2");
  BOOST_TEST(error_of(one, {numbers<uint8_t>({2}), numbers<uint8_t>({1})}, 1) ==
             "column c: index 2 is not below 2");
}

// Random lists of numbers and their text.
class RandomTable {
 public:
  explicit RandomTable(uint64_t seed) : random_(seed) {}

  // sizes: those of the cells. All columns have the same number of leaves.
  void make(const std::vector<uint64_t>& sizes) {
    table.rows = sizes.size();
    std::vector<uint64_t> ends, inner_ends, outer_ends;
    std::vector<int32_t> numbers_, fixed;
    std::vector<std::string> texts;
    text = "flat,text,deep,fixed\n";
    for (uint64_t row = 0; row < sizes.size(); ++row) {
      std::string flat = "[", words = "[", deep = "[";
      bool has_list = false;
      for (uint64_t i = 0; i < sizes[row]; ++i) {
        const std::string comma = i > 0 ? "," : "";
        numbers_.push_back(static_cast<int32_t>(random_()) % 10'000);
        flat += comma + std::to_string(numbers_.back());
        texts.push_back(std::to_string(random_() % 100));
        words += comma + "\"\"" + texts.back() + "\"\"";
        deep += i == 0 ? "[" : "";
        if (i > 0 && random_() % 3 == 0) {
          inner_ends.push_back(numbers_.size() - 1);
          deep += "],[";
        } else if (i > 0) {
          deep += ",";
        }
        deep += std::to_string(numbers_.back());
        has_list = true;
      }
      if (has_list) {
        inner_ends.push_back(numbers_.size());
        deep += "]";
      }
      ends.push_back(numbers_.size());
      outer_ends.push_back(inner_ends.size());
      const bool many = sizes[row] > 1, any = sizes[row] > 0;
      const auto quoted = [](const std::string& json, bool is) { return is ? "\"" + json + "\"" : json; };
      fixed.push_back(static_cast<int32_t>(row));
      fixed.push_back(-1);
      text += fmt::format("{},{},{},\"[{},-1]\"\n", quoted(flat + "]", many), quoted(words + "]", any),
                          quoted(deep + "]", many), row);
    }
    const ArrayPtr leaves = numbers(numbers_), index = numbers(ends);
    table.columns = {{"flat", nested(leaves, {index})},
                     {"text", nested(text_array(texts), {index})},
                     {"deep", nested(leaves, {numbers(outer_ends), numbers(inner_ends)})},
                     {"fixed", nested(numbers(fixed, {table.rows, 2}), {})}};
  }

  Table table;
  std::string text;

 private:
  std::mt19937_64 random_;
};

BOOST_AUTO_TEST_CASE(any_slice_is_right_however_large_the_cells_are) {
  const std::vector<std::vector<uint64_t>> all_sizes = {
      {3, 0, 1, 2}, {300'000}, {0, 120'000, 0, 1, 90'000, 2}, std::vector<uint64_t>(20'000, 2)};
  for (size_t i = 0; i < all_sizes.size(); ++i) {
    RandomTable generated(i);
    generated.make(all_sizes[i]);
    TestContext context;
    TextFile file(csv_nested(generated.table, context), context);
    BOOST_TEST((whole_text(file) == generated.text), "sizes " << i);
    std::mt19937_64 random(i);
    BOOST_TEST(slices_match(file, generated.text, random, 50), "sizes " << i);
  }
}

BOOST_AUTO_TEST_CASE(no_block_is_much_larger_than_others_even_inside_one_cell) {
  RandomTable generated(9);
  generated.make({500'000, 1});
  TestContext context;
  const auto source = csv_nested(generated.table, context);
  source->prepare();
  BOOST_TEST(source->block_count() > 20u);
  for (uint64_t block = 0; block < source->block_count(); ++block)
    BOOST_TEST(source->measure(block) < 4 * kCellBlockText);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
