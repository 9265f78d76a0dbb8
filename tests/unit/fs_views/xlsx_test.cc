#include <boost/test/unit_test.hpp>
#include <map>
#include <regex>

#include "formats/core/model/arrays/counted_times.h"
#include "formats/core/model/arrays/generated_array.h"
#include "fs/views/xlsx/cell_text.h"
#include "fs/views/xlsx/sheet_column.h"
#include "fs/views/xlsx/workbook.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {
namespace {

// Returns the contents of a workbook's members by their names.
std::map<std::string, std::string> members_of(std::vector<Sheet> sheets, Context& context) {
  std::map<std::string, std::string> contents;
  for (const ZipMember& member : workbook_members(std::move(sheets), "/obs.xlsx", context))
    contents[member.name] = member.head + (member.body ? whole_text(*member.body) : "") + member.tail;
  return contents;
}

// Returns the rows of a sheet, without the markup around them.
std::string rows_of(const Table& table, Context& context) {
  const std::string sheet = members_of({{"cells", table}}, context).at("xl/worksheets/sheet1.xml");
  const size_t begin = sheet.find("<row r=\"2\">"), end = sheet.find("</sheetData>");
  return begin == sheet.npos ? "" : sheet.substr(begin, end - begin);
}

std::string rows_of(ArrayPtr values, Context& context) {
  const uint64_t rows = values->count();
  return rows_of(Table{rows, nullptr, {{"x", std::move(values)}}}, context);
}

ArrayPtr times(TimeUnit unit, const std::vector<int64_t>& counts) {
  DType type = number_type(Kind::time_point, 8);
  type.time_unit = unit;
  return std::make_shared<MemoryArray>(type, Shape{counts.size()}, elements_of(counts));
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                 kInf = std::numeric_limits<double>::infinity();

}  // namespace

BOOST_AUTO_TEST_SUITE(xlsx_view)

BOOST_AUTO_TEST_CASE(columns_are_named_up_to_xfd) {
  const std::pair<uint64_t, const char*> names[] = {{0, "A"},    {25, "Z"},    {26, "AA"},
                                                    {701, "ZZ"}, {702, "AAA"}, {16383, "XFD"}};
  for (const auto& [number, name] : names) BOOST_TEST(column_letters(number) == name);
}

BOOST_AUTO_TEST_CASE(texts_that_readers_change_are_shared) {
  for (const char* text :
       {"MARCH1", "=1+1", "00123", "a b", "ż", "_x", "_x12345_", "a_xg_", "\xf0\x9f\x98\x80"})
    BOOST_TEST(!must_be_shared(text), text);
  for (const char* text : {"", " a", "a ", "a  b", "a&b", "<a", "a>", "\t", "a\nb", "a\rb", "\x01", "_x0041_",
                           "a_x1_", "\xef\xbf\xbe", "\xef\xbf\xbf"})
    BOOST_TEST(must_be_shared(text), text);
  BOOST_CHECK_EXCEPTION(must_be_shared("\xff"), Error, mentions("UTF-8"));
}

BOOST_AUTO_TEST_CASE(characters_that_xml_cannot_hold_are_escaped) {
  BOOST_TEST(xml_text("a<b>&\"'") == "a&lt;b&gt;&amp;\"'");
  BOOST_TEST(xml_text("\x01\r\n\t\x1f") == "_x0001__x000D_\n\t_x001F_");
  BOOST_TEST(xml_text(std::string_view("\0", 1)) == "_x0000_");
  BOOST_TEST(xml_text("_x000D_ _x1_ _xg_") == "_x005F_x000D_ _x005F_x1_ _xg_");
  BOOST_TEST(xml_text("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd") == "_xFFFE__xFFFF_\xef\xbf\xbd");
  BOOST_TEST(xml_attribute("a\"\n") == "a&quot;&#10;");
}

BOOST_AUTO_TEST_CASE(names_of_sheets_are_accepted_by_excel) {
  const std::vector<std::string> names = sheet_names({"cells", "Cells", "a/b:c*[d]?\\", "'x'", "", "History",
                                                      std::string(40, 'y'), std::string(40, 'Y'), "\xff"});
  const std::vector<std::string> expected{
      "cells",  "Cells_2",  "a_b_c__d___",        "_x_",
      "sheet",  "History_", std::string(31, 'y'), std::string(29, 'Y') + "_2",
      "sheet_2"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  const std::string emoji = "\xf0\x9f\x98\x80";  // two units of UTF-16
  std::string many;
  for (int i = 0; i < 20; ++i) many += emoji;
  BOOST_TEST(sheet_names({many}).front().size() == 15 * emoji.size());
}

BOOST_AUTO_TEST_CASE(name_of_a_part_keeps_both_words) {
  BOOST_TEST(sheet_name("rna", "genes") == "rna genes");
  BOOST_TEST(sheet_name(std::string(25, 'a'), "genes") == std::string(25, 'a') + " genes");
  BOOST_TEST(sheet_name(std::string(40, 'a'), "genes") == std::string(25, 'a') + " genes");
  BOOST_TEST(sheet_name(std::string(40, 'a'), std::string(40, 'b')) ==
             std::string(10, 'a') + " " + std::string(20, 'b'));
  BOOST_TEST(sheet_name("a", std::string(40, 'b')) == "a " + std::string(20, 'b'));
}

BOOST_AUTO_TEST_CASE(days_are_counted_as_excel_does) {
  BOOST_TEST(*serial_of(TimeUnit::day, 19783) == 45352);      // 2024-03-01
  BOOST_TEST(*serial_of(TimeUnit::day, -25508) == 61);        // 1900-03-01
  BOOST_TEST(!serial_of(TimeUnit::day, -25509));              // the day before
  BOOST_TEST(*serial_of(TimeUnit::day, 2932896) == 2958465);  // 9999-12-31
  BOOST_TEST(!serial_of(TimeUnit::day, 2932897));
  BOOST_TEST(*serial_of(TimeUnit::second, 19783 * 86400.0 + 49530) == 45352.57326388889);
  BOOST_TEST(*serial_of(TimeUnit::second, 946684799.5) == 36525.999994212965);
  BOOST_TEST(serial_of(TimeUnit::second, 1700000000.123456).has_value());
  BOOST_TEST(*serial_of(TimeUnit::second, -0.25) == 25568.999997106483);
  BOOST_TEST(serial_of(TimeUnit::second, -0.001).has_value());
  BOOST_TEST(!serial_of(TimeUnit::second, 1000.1234567));  // more digits than microseconds
  BOOST_TEST(!serial_of(TimeUnit::second, kNaN));
}

BOOST_AUTO_TEST_CASE(each_type_has_its_form_in_a_cell) {
  TestContext context;
  BOOST_TEST(rows_of(numbers<int32_t>({-7}), context) == "<row r=\"2\"><c r=\"A2\"><v>-7</v></c></row>");
  BOOST_TEST(rows_of(numbers<float>({0.1f}), context) == "<row r=\"2\"><c r=\"A2\"><v>0.1</v></c></row>");
  BOOST_TEST(rows_of(numbers<double>({1e300}), context) ==
             "<row r=\"2\"><c r=\"A2\"><v>1e+300</v></c></row>");
  const DType truth = number_type(Kind::boolean, 1);
  BOOST_TEST(rows_of(std::make_shared<MemoryArray>(truth, Shape{2}, elements_of<uint8_t>({1, 0})), context) ==
             "<row r=\"2\"><c r=\"A2\" t=\"b\"><v>1</v></c></row><row r=\"3\"><c r=\"A3\" "
             "t=\"b\"><v>0</v></c></row>");
  BOOST_TEST(rows_of(text_array({"MARCH1"}), context) ==
             "<row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>MARCH1</t></is></c></row>");
  BOOST_TEST(rows_of(times(TimeUnit::day, {19783}), context) ==
             "<row r=\"2\"><c r=\"A2\" s=\"2\"><v>45352</v></c></row>");
  BOOST_TEST(rows_of(times(TimeUnit::nano, {1709300730'000000000}), context) ==
             "<row r=\"2\"><c r=\"A2\" s=\"3\"><v>45352.57326388889</v></c></row>");
  BOOST_TEST(rows_of(factor(numbers<int8_t>({1, 0}), text_array({"a", "b"}), 0, "/x", context), context) ==
             "<row r=\"2\"><c r=\"A2\" t=\"s\"><v>1</v></c></row><row r=\"3\"><c r=\"A3\" "
             "t=\"s\"><v>0</v></c></row>");
}

BOOST_AUTO_TEST_CASE(missing_values_are_empty_cells) {
  TestContext context;
  const ArrayPtr some = with_missing(numbers<int32_t>({1, 2}),
                                     [](const Elements&, std::vector<uint8_t>& missing) { missing[0] = 1; });
  BOOST_TEST(rows_of(some, context) == "<row r=\"2\"></row><row r=\"3\"><c r=\"A3\"><v>2</v></c></row>");
  BOOST_TEST(rows_of(numbers<double>({kNaN, kInf}), context) == "<row r=\"2\"></row><row r=\"3\"></row>");
  BOOST_TEST(context.warned("/obs.xlsx: column x: an infinity is an empty cell"));
  BOOST_TEST(rows_of(times(TimeUnit::second, {INT64_MIN}), context) == "<row r=\"2\"></row>");
  BOOST_TEST(rows_of(factor(numbers<int8_t>({-1}), text_array({"a"}), 0, "/x", context), context) ==
             "<row r=\"2\"></row>");
}

BOOST_AUTO_TEST_CASE(values_that_excel_would_round_are_text) {
  TestContext context;
  constexpr int64_t kWhole = int64_t{1} << 53;
  BOOST_TEST(rows_of(numbers<int64_t>({kWhole, -kWhole, kWhole + 1}), context) ==
             "<row r=\"2\"><c r=\"A2\"><v>9007199254740992</v></c></row>"
             "<row r=\"3\"><c r=\"A3\"><v>-9007199254740992</v></c></row>"
             "<row r=\"4\"><c r=\"A4\" t=\"inlineStr\"><is><t>9007199254740993</t></is></c></row>");
  BOOST_TEST(context.warned("an integer beyond 2^53 is text"));
  BOOST_TEST(rows_of(times(TimeUnit::day, {-25509}), context) ==
             "<row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>1900-02-28</t></is></c></row>");
  BOOST_TEST(
      rows_of(times(TimeUnit::nano, {1}), context) ==
      "<row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>1970-01-01T00:00:00.000000001</t></is></c></row>");
  BOOST_TEST(context.warned("a time is text"));
}

BOOST_AUTO_TEST_CASE(shared_texts_are_numbered_through_all_blocks) {
  TestContext context;
  constexpr uint64_t kRows = 30'000;
  std::vector<std::string> first, second;
  for (uint64_t i = 0; i < kRows; ++i) {
    first.push_back(i % 3 == 0 ? "<" + std::to_string(i) : "plain");
    second.push_back(i % 7 == 1 ? "&" + std::to_string(i) : "plain");
  }
  const Table table{kRows, text_array(first), {{"x", text_array(second)}, {"<y>", numbered_texts(kRows)}}};
  const auto members = members_of({{"a", table}, {"b", table}}, context);
  std::vector<std::string> shared;
  const std::string& strings = members.at("xl/sharedStrings.xml");
  const std::regex each("<si><t xml:space=\"preserve\">([^<]*)</t></si>");
  for (std::sregex_iterator it(strings.begin(), strings.end(), each), end; it != end; ++it)
    shared.push_back((*it)[1]);
  BOOST_TEST(strings.find(fmt::format("uniqueCount=\"{}\"", shared.size())) != strings.npos);
  const std::regex cell("<c r=\"([A-Z])([0-9]+)\"( s=\"1\")? t=\"s\"><v>([0-9]+)</v></c>");
  uint64_t found = 0;
  for (const char* name : {"xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"}) {
    const std::string& sheet = members.at(name);
    for (std::sregex_iterator it(sheet.begin(), sheet.end(), cell), end; it != end; ++it, ++found) {
      const uint64_t row = std::stoull((*it)[2]);
      const std::string want = row == 1 ? "<y>" : ((*it)[1] == "A" ? first : second)[row - 2];
      if (shared.at(std::stoull((*it)[4])) != xml_text(want)) BOOST_FAIL((*it)[0]);
    }
  }
  BOOST_TEST(found == 2 * (1 + kRows / 3 + (kRows + 5) / 7));
}

BOOST_AUTO_TEST_CASE(header_is_bold_frozen_and_filtered) {
  TestContext context;
  const Table table{2, text_array({"c1", "c2"}), {{"n", numbers<int32_t>({1, 2})}}};
  const auto members = members_of({{"it's", table}}, context);
  const std::string& sheet = members.at("xl/worksheets/sheet1.xml");
  for (const char* part :
       {"<dimension ref=\"A1:B3\"/>",
        "<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/>",
        "<row r=\"1\"><c r=\"B1\" s=\"1\" t=\"inlineStr\"><is><t>n</t></is></c></row>",
        "</sheetData><autoFilter ref=\"A1:B3\"/></worksheet>"})
    BOOST_TEST(sheet.find(part) != sheet.npos, part);
  BOOST_TEST(members.at("xl/workbook.xml").find("hidden=\"1\">'it''s'!$A$1:$B$3</definedName>") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(columns_are_as_wide_as_their_texts) {
  TestContext context;
  const Table table{1,
                    nullptr,
                    {{"a", text_array({std::string(20, 'x')})},
                     {"b", text_array({std::string(99, 'x')})},
                     {"a long name", numbers<int8_t>({1})},
                     {"c", numbers<int8_t>({1})}}};
  const std::string sheet = members_of({{"s", table}}, context).at("xl/worksheets/sheet1.xml");
  for (const char* width : {"min=\"1\" max=\"1\" width=\"20.7", "min=\"2\" max=\"2\" width=\"60.7",
                            "min=\"3\" max=\"3\" width=\"14.7", "min=\"4\" max=\"4\" width=\"6.7"})
    BOOST_TEST(sheet.find(width) != sheet.npos, width);
}

BOOST_AUTO_TEST_CASE(tables_beyond_the_limits_are_refused) {
  TestContext context;
  const auto table_of_rows = [](uint64_t rows) { return Table{rows, nullptr, {{"x", counting(rows)}}}; };
  workbook_members({{"s", table_of_rows(1048575)}}, "/x", context);
  BOOST_CHECK_EXCEPTION(workbook_members({{"s", table_of_rows(1048576)}}, "/x", context), Error,
                        mentions("1048576 rows; a sheet of Excel holds at most 1048575 below its header"));
  Table wide{1, nullptr, std::vector<Column>(16384, Column{"x", counting(1)})};
  workbook_members({{"s", wide}}, "/x", context);
  wide.row_names = text_array({"a"});
  BOOST_CHECK_EXCEPTION(workbook_members({{"s", wide}}, "/x", context), Error,
                        mentions("16385 columns; a sheet of Excel holds at most 16384"));
  const std::string longest(32767, 'x'), snowmen = [] {
    std::string text;
    for (int i = 0; i < 32767; ++i) text += "\xe2\x98\x83";
    return text;
  }();
  BOOST_TEST(!rows_of(text_array({longest, snowmen}), context).empty());
  BOOST_CHECK_EXCEPTION(rows_of(text_array({"a", longest + "x"}), context), Error,
                        mentions("cell A3: a text of 32768 characters; a cell of Excel holds at most 32767"));
  BOOST_CHECK_EXCEPTION(
      rows_of(factor(numbers<int8_t>({0}), text_array({longest + "x"}), 0, "/x", context), context), Error,
      mentions("column x: a text of 32768 characters"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
