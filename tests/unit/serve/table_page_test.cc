#include "fs/serve/pages/table/table_page.h"

#include <cmath>
#include <numeric>

#include "formats/core/model/arrays/derived_array.h"
#include "fs/serve/pages/table/row_order.h"
#include "tests/unit/serve/pages.h"

namespace plainfs::serve {
namespace {

// Truth values in more rows than are sorted. Reading them is an error, except for a page of them.
class LongTruths : public Array {
 public:
  LongTruths() : Array(number_type(Kind::boolean, 1), {kMaxSortedRows + 1}) {}
  Elements read(const Box& box) const override {
    if (box.extent[0] > kRowsOnPage) throw damaged("a pass over the column");
    return zero_elements(dtype(), box.extent[0]);
  }
};

// 250 rows: a decreasing value, one of three levels, and names.
struct Tables : Pages {
  Tables() {
    std::vector<double> values(250);
    std::vector<std::string> levels, names;
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = 250.0 - static_cast<double>(i);
      levels.push_back(i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : kHostile);
      names.push_back("row" + std::to_string(i));
    }
    root->add("t", table_of({{"value", numbers(values)}, {"level", text_array(levels)}}, text_array(names)));
  }
  std::string first_row(const std::string& text) {
    const size_t at = text.find("<tbody>\n<tr><th scope=\"row\">") + 28;
    return text.substr(at, text.find('<', at) - at);
  }
};

BOOST_FIXTURE_TEST_SUITE(table_page, Tables)

BOOST_AUTO_TEST_CASE(rows_come_by_pages) {
  const std::string text = page("t?page&from=200");
  BOOST_TEST(first_row(text) == "row200");
  BOOST_TEST(has(text, "rows 201 to 250 of 250"));
  BOOST_TEST(has(text, "<a href=\"?page&amp;from=100\">← before</a>"));
  BOOST_TEST(!has(text, "next →"));
  BOOST_TEST(has(page("t?page"), "<a href=\"?page&amp;from=100\">next →</a>"));
}

BOOST_AUTO_TEST_CASE(texts_are_sorted_by_their_bytes) {
  TextBuilder texts(5);
  for (const char* text : {"b", "a", "", "b"}) texts.add(text);
  texts.add_missing();
  const MemoryArray column(text_type(), Shape{5}, texts.finish());
  using Rows = std::vector<uint32_t>;
  BOOST_TEST(sorted_rows(column, false, nullptr, 0, 5) == (Rows{2, 1, 0, 3, 4}),
             boost::test_tools::per_element());
  BOOST_TEST(sorted_rows(column, true, nullptr, 0, 5) == (Rows{0, 3, 1, 2, 4}),
             boost::test_tools::per_element());
  const Rows some{4, 3, 1};
  BOOST_TEST(sorted_rows(column, false, &some, 1, 2) == (Rows{3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rows_are_sorted_by_a_column) {
  BOOST_TEST(first_row(page("t?page&sort=value")) == "row249");
  BOOST_TEST(first_row(page("t?page&sort=value&from=100")) == "row149");
  BOOST_TEST(first_row(page("t?page&sort=-value")) == "row0");
  BOOST_TEST(first_row(page("t?page&sort=-level")) == "row1");
  BOOST_TEST(has(page("t?page&sort=value"), "<a href=\"?page&amp;sort=-value\">value ▲</a>"));
}

BOOST_AUTO_TEST_CASE(rows_are_filtered_by_a_level) {
  const std::string text = page("t?page&where=level:b&sort=value");
  BOOST_TEST(has(text, "All 83 rows with level:b, by value, lowest first"));
  BOOST_TEST(first_row(text) == "row247");
  BOOST_TEST(has(page("t?page&where=value:250"), "<caption>1 row"));
}

BOOST_AUTO_TEST_CASE(row_names_are_sorted_and_filtered) {
  root->add("bare", table_of({{"value", numbers({2, 1})}}));
  BOOST_TEST(first_row(page("t?page&sort=-_index")) == "row99");
  BOOST_TEST(first_row(page("t?page&sort=_index&from=100")) == "row189");
  const std::string sorted = page("t?page&sort=_index");
  BOOST_TEST(has(sorted, "<a href=\"?page&amp;sort=-_index\">name ▲</a>"));
  BOOST_TEST(has(sorted, "<option value=\"_index\" selected>row name, lowest first</option>"));
  BOOST_TEST(has(sorted, "rows, by name, lowest first"));
  BOOST_TEST(first_row(page("t?page&where=_index:row42")) == "row42");
  BOOST_TEST(has(page("t?page&where=_index:row4a"), "No row has 'row4a' as its name. The nearest are"));
  BOOST_TEST(has(page("bare?page&sort=_index"), "No column '_index' to sort by."));
}

BOOST_AUTO_TEST_CASE(column_called_as_the_row_names_is_meant) {
  root->add("own", table_of({{"_index", numbers({2, 1})}}, text_array({"first", "second"})));
  BOOST_TEST(first_row(page("own?page&sort=_index")) == "second");
}

BOOST_AUTO_TEST_CASE(rows_are_found_by_a_part_of_their_names) {
  root->add("unnamed", table_of({{"value", numbers({2, 1})}}));
  const std::string text = page("t?page&find=OW24&sort=value");
  BOOST_TEST(has(text, "All 11 rows with 'OW24' in the name, by value, lowest first"));
  BOOST_TEST(first_row(text) == "row249");
  BOOST_TEST(has(text, "<input name=\"find\" value=\"OW24\""));
  BOOST_TEST(has(page("t?page&find=OW24&where=level:a"), "All 5 rows with level:a with 'OW24' in the name"));
  const std::string none = page("t?page&find=rwo42");
  BOOST_TEST(has(none, "No name contains 'rwo42'. The nearest "));
  BOOST_TEST(has(none, "No rows"));
  BOOST_TEST(!has(page("t?page&find=%3Cscript%3E"), "<script"));
  BOOST_TEST(has(page("unnamed?page&find=a"), "The rows have no names to find."));
}

BOOST_AUTO_TEST_CASE(columns_have_a_summary) {
  const std::string text = page("t?page");
  BOOST_TEST(has(text, "1 to 250, median 125.5, quartiles 63.25 and 187.8"));
  BOOST_TEST(has(text, "3 levels: a 34 %, "));
}

BOOST_AUTO_TEST_CASE(absent_name_suggests_the_nearest) {
  BOOST_TEST(has(page("t?page&sort=valeu"),
                 "No column 'valeu' to sort by. The nearest is <a href=\"?page&amp;sort=value\">"));
  BOOST_TEST(has(page("t?page&where=level:B"), "<a href=\"?page&amp;where=level%3Ab\">level:b</a>"));
  BOOST_TEST(has(page("t?page&where=nothing"), "No column 'nothing' to filter by."));
  BOOST_TEST(has(page("t?page&from=1000"),
                 "No row 1,000: there are 250 rows. The nearest is <a href=\"?page&amp;from=200\">"));
  BOOST_TEST(has(page("t?page&from=-1"), "'-1' is not a row."));
  for (const char* const name : {"sort", "where", "from", "columns", "find"})
    BOOST_TEST(!has(page(std::string("t?page&") + name + "=%3Cscript%3E"), "<script"), name);
}

BOOST_AUTO_TEST_CASE(wide_integers_are_sorted_by_all_digits) {
  constexpr int64_t kWide = int64_t{1} << 53;
  const std::vector<uint32_t> ascending{2, 0, 3, 1};
  BOOST_TEST(sorted_rows(*plainfs::numbers<int64_t>({kWide, kWide + 1, -kWide - 1, kWide}), false, nullptr, 0,
                         4) == ascending,
             boost::test_tools::per_element());
  const uint64_t high = uint64_t{1} << 63;
  BOOST_TEST((sorted_rows(*plainfs::numbers<uint64_t>({high + 1, 1, high}), false, nullptr, 0, 3) ==
              std::vector<uint32_t>{1, 2, 0}));
  BOOST_TEST((sorted_rows(*numbers({INFINITY, -1, -0.0, 0, -INFINITY}), false, nullptr, 0, 5) ==
              std::vector<uint32_t>{4, 1, 2, 3, 0}));
}

BOOST_AUTO_TEST_CASE(levels_are_sorted_in_their_own_order) {
  const ArrayPtr stages = factor(plainfs::numbers<int8_t>({2, 0, -1, 1}), text_array({"low", "mid", "high"}),
                                 0, "/obs/stage", context, true);
  BOOST_TEST((sorted_rows(*stages, false, nullptr, 0, 4) == std::vector<uint32_t>{1, 3, 0, 2}));
  BOOST_TEST((sorted_rows(*stages, true, nullptr, 0, 4) == std::vector<uint32_t>{0, 3, 1, 2}));
}

BOOST_AUTO_TEST_CASE(summary_of_filtered_rows_is_of_these_rows) {
  const std::string text = page("t?page&where=level:b");
  BOOST_TEST(has(text, "3 to 249, median 126, quartiles 64.5 and 187.5"));
  BOOST_TEST(has(text, "1 level: b 100 %"));
}

BOOST_AUTO_TEST_CASE(summary_counts_missing_and_infinite_values) {
  TextBuilder texts(4);
  for (const char* text : {"b", "a", "b"}) texts.add(text);
  texts.add_missing();
  root->add("gaps",
            table_of({{"value", numbers({3, NAN, INFINITY, 1})},
                      {"level", std::make_shared<MemoryArray>(text_type(), Shape{4}, texts.finish())}}));
  const std::string text = page("gaps?page");
  BOOST_TEST(has(text, "1 to 3, median 2, quartiles 1.5 and 2.5; 1 missing, 1 infinite"));
  BOOST_TEST(has(text, "2 levels: b 50 %, a 25 %; 1 missing"));
}

BOOST_AUTO_TEST_CASE(rows_without_a_value_come_last) {
  const std::vector<uint32_t> rows = sorted_rows(*numbers({2, NAN, 1, 2}), true, nullptr, 0, 9);
  BOOST_TEST((rows == std::vector<uint32_t>{0, 3, 2, 1}));
  const std::vector<uint32_t> some{3, 1};
  BOOST_TEST((sorted_rows(*numbers({2, NAN, 1, 2}), false, &some, 1, 1) == std::vector<uint32_t>{1}));
  BOOST_TEST(sorted_rows(*numbers({2}), false, nullptr, 5, 2).empty());
}

BOOST_AUTO_TEST_CASE(table_too_long_to_sort_offers_no_order) {
  root->add("long", table_of({{"flag", std::make_shared<LongTruths>()}}));
  const std::string text = page("long?page");
  BOOST_TEST(has(text, "The first 100 of 16,777,217 rows"));
  BOOST_TEST(!has(text, "name=\"sort\""));
  BOOST_TEST(!has(text, "a pass over the column"));
  BOOST_TEST(has(page("long?page&sort=flag"), "is too long to be sorted"));
}

BOOST_AUTO_TEST_CASE(wide_tables_show_their_columns_by_pages) {
  std::vector<Column> columns;
  for (int i = 0; i < 30; ++i) columns.push_back({"c" + std::to_string(i), numbers({1})});
  root->add("wide", table_of(std::move(columns)));
  const std::string text = page("wide?page&columns=24");
  BOOST_TEST(has(text, "columns 25 to 30 of 30"));
  BOOST_TEST((has(text, ">c29<") && !has(text, "scope=\"col\" class=\"n\"><a href=\"?page&amp;sort=c1\"")));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
